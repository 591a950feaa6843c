"""Hints: what they say to set can be set, in Python and on the command line, and to the values that they name."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest

import samescore
from samescore import Policy, plots
from samescore.cli import COMMANDS
from samescore.cli.parser import Parser
from samescore.errors import MeasureError, PolicyError, SamescoreError, Setting, Wording, clause, parts_of, reading, setting
from samescore.measures import CATALOGUE, names, parse
from samescore.measures.names import TOOLS
from samescore.measures.parsing import meaning

SOURCE = Path(samescore.__file__).parent
KINDS = {"setting": 0, "clause": 0, "reading": 1, "code": 0}
"""The functions that make settings, and which argument is the name."""


def called():
    """Every call of these functions in the package: place, function, literal arguments (``...`` for others)."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node.func.id, [literal(argument) for argument in node.args]


def literal(node):
    """The value of an argument, ``...`` where it is no literal."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def parser(command):
    """The parser of a command."""
    module = importlib.import_module(f"samescore.cli.{COMMANDS[command][0]}")
    made = Parser(exit_on_error=False)
    getattr(module, command).configure(made)
    return made


CALLS = list(called())
PARSERS = {command: parser(command) for command in COMMANDS}
ARGUMENTS = {
    name
    for function in [*(getattr(samescore, name) for name in samescore.__all__), *(getattr(plots, name) for name in plots.__all__)]
    if callable(function) and not inspect.isclass(function)
    for name in inspect.signature(function).parameters
} | inspect.signature(samescore.Result.to_text).parameters.keys()
PYTHON_ONLY = {"queries", "grade", "delta", "power"}
"""Arguments that no command has."""
PARAMETERS = {name for entry in CATALOGUE.values() for name in entry.params}


def of_kind(kind):
    """Place and arguments of the calls of one function, where its name is there to be read."""
    found = [(place, arguments) for place, name, arguments in CALLS if name == kind and arguments[KINDS[kind]] is not ...]
    return pytest.mark.parametrize("arguments", [a for _, a in found], ids=[place for place, _ in found])


def check_typed(command, one):
    """The option of a command that a setting is typed as can be read, with each of the values."""
    for value in (value for value in one.values if value is not ...):
        words = shlex.split(PARSERS[command].typed(Setting(one.name, (value,), one.of)))
        assert words[0].startswith("-")
        action = next(action for action in PARSERS[command]._actions if words[0] in action.option_strings)
        assert all(word in action.option_strings for word in words[:: 1 if action.nargs == 0 else 2])
        if action.choices:
            assert set(words[1::2]) <= set(action.choices)


@of_kind("clause")
def test_a_clause_of_a_hint_is_one_and_has_the_values_named(arguments):
    name, *values = arguments
    for value in values:
        if value is not ...:
            assert getattr(Policy(**{name: value}), name) == value
    for command, one in PARSERS.items():
        if "--policy" in one.format_usage():
            check_typed(command, Setting(name, tuple(values), "policy"))
    assert PARSERS["evaluate"].typed(Setting(name, (), "policy"))


@of_kind("setting")
def test_an_argument_of_a_hint_is_one_of_a_public_function_and_where_a_command_takes_it_an_option(arguments):
    name, *values = arguments
    one = Setting(name, tuple(values))
    assert name in ARGUMENTS
    commands = [command for command, made in PARSERS.items() if made.typed(one)]
    assert commands or name in PYTHON_ONLY
    for command in commands:
        check_typed(command, one)


@of_kind("reading")
def test_what_a_hint_says_of_a_reader_is_an_argument_of_it_and_an_option_of_its_side(arguments):
    kind, name, *values = arguments
    assert name in inspect.signature(samescore.read_qrels if kind == "qrels" else samescore.read_run).parameters
    for side in ("run", "qrels") if kind is ... else (kind,):
        check_typed("evaluate", Setting(name, tuple(values), side))


@of_kind("code")
def test_a_call_of_a_hint_is_python_and_has_words_on_the_command_line(arguments):
    (call,) = arguments
    for part in call.removesuffix(" first").split(" and "):
        ast.parse(part)
    for command in PARSERS.values():
        assert command.typed(Setting(call, (), "code"))


@pytest.mark.parametrize(
    ("wording", "python", "typed"),
    [
        (clause("missing", "zero", "skip"), "Policy(missing='zero') or Policy(missing='skip')", "--missing zero or --missing skip"),
        (clause("depth", None), "Policy(depth=None)", "--depth all"),
        (clause("relevance_level", 2), "Policy(relevance_level=2)", "--relevance-level 2"),
        (clause("float32_scores", True, False), "Policy(float32_scores=True) or Policy(float32_scores=False)",
         "--float32-scores or --no-float32-scores"),
        (setting("k", 10, [5, 10]), "k=10 or k=[5, 10]", "-k 10 or -k 5 -k 10"),
        (setting("measures", ["R@5", "P(rel=2)@5"]), "measures=['R@5', 'P(rel=2)@5']", "-m R@5 -m 'P(rel=2)@5'"),
        (setting("measures", ...), "measures=...", "-m MEASURE"),
        (setting("doc_of", {"c1": "d"}), "doc_of={'c1': 'd'}", "--doc-of FILE"),
        (setting("queries", ["q1"]), "queries=['q1']", None),
        (reading("run", "format", "msmarco"), "read_run(run, format='msmarco')", "--run-format msmarco"),
        (reading("qrels", "columns", {"doc_id": "d r"}), "read_qrels(qrels, columns={'doc_id': 'd r'})",
         "--qrels-columns 'doc_id=d r'"),
        (reading("run", "columns"), "columns=", "--run-columns"),
    ],
)  # fmt: skip
def test_a_setting_is_written_once_and_shown_in_the_words_of_python_or_of_a_command(wording, python, typed):
    one = wording.parts[0]
    assert (wording, str(one), PARSERS["evaluate"].typed(one)) == (python, python, typed)


def test_an_error_shows_settings_in_the_words_that_are_asked_for():
    error = SamescoreError(Wording("wrong ", setting("k")), query="q", hint=Wording(clause("ties", "input"), ", or mend it"))
    assert (error.what, error.hint) == ("wrong k=", "Policy(ties='input'), or mend it")
    assert str(error) == "query 'q': wrong k=\ntry: Policy(ties='input'), or mend it"
    assert error.message(lambda one: f"<{one.name}>") == "query 'q': wrong <k>\ntry: <ties>, or mend it"


def test_wordings_within_a_wording_keep_their_settings():
    whole = Wording("with ", Wording(setting("k", 1), " and "), clause("ties", "input"))
    assert [part if isinstance(part, str) else part.name for part in parts_of(whole)] == ["with ", "k", " and ", "ties"]
    assert parts_of("plain") == ("plain",)


# Hints that are followed


TWICE = "q1 Q0 d2 1 3 t\nq1 Q0 d2 2 2 t\n"
TIED = "q1 Q0 d2 1 3 t\nq1 Q0 d4 2 3 t\n"


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["evaluate", "qrels", "run", "--missing", "error"], {}),
        (["evaluate", "qrels", "run", "--ties", "error"], {"run": TIED}),
        (["evaluate", "qrels", "run", "--duplicates", "error"], {"run": TWICE}),
        (["evaluate", "qrels", "run"], {"qrels": "q1 0 d2 1\nq1 0 d2 2\n"}),
        (["evaluate", "qrels", "run", "--negatives", "error"], {"qrels": "q1 0 d2 1\nq1 0 d4 -1\n"}),
        (["evaluate", "qrels", "run"], {"qrels": "q1 1 d2 1\nq1 2 d2 1\n"}),
        (["evaluate", "qrels", "run"], {"qrels": "q1 0 d2 2000\n"}),
        (["evaluate", "qrels", "run", "-m", "DCG", "--backend", "ir_measures"], {}),
        (["evaluate", "qrels", "run", "-m", "nDCG", "--backend", "ir_measures"], {"qrels": "q1 0 d2 1.5\n"}),
        (["evaluate", "qrels", "run", "-m", "AP", "--average", "micro"], {}),
        (["evaluate", "qrels", "run"], {"run": "Frage X Beleg Rang Wert Name\nq1 Q0 d2 1 3 t\n"}),
        (["evaluate", "qrels", "run"], {"qrels": "query_id,doc_id,Note\nq1,d2,1\n"}),
        (["gate", "qrels", "run", "--baseline", "b.json", "--write-baseline", "--ties", "error"], {"run": TIED}),
        (["curve", "qrels", "run", "-m", "R", "--keep", "2"], {}),
        (["compare", "qrels", "run", "other", "--test", "wilcoxon", "--average", "micro", "-m", "R@5"], {}),
        (["ties", "qrels", "run", "-m", "RR", "--depth", "1", "--unjudged", "drop"], {"run": TIED}),
        (["export", "qrels", "run", "out", "-m", "nDCG@5"], {"qrels": "q1 0 d2 30\n"}),
        (["explain", "qrels", "run", "-m", "RR", "--ties", "error"], {"run": TIED}),
        (["trec_eval", "qrels", "run"], {"run": TWICE}),
        (["trec_eval", "qrels", "run"], {"qrels": "q1 0 d2 1\nq1 0 d2 2\n"}),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_hint_that_is_followed_helps(say, tmp_path, monkeypatch, words, files):
    monkeypatch.chdir(tmp_path)
    plain = {"qrels": "q1 0 d2 1\nq2 0 d9 1\n", "run": "q1 Q0 d2 1 3 t\n", "other": TIED, **files}
    for name, text in plain.items():
        (tmp_path / name).write_text(text)
    _, err, code = say(*words)
    hint = err.partition("\ntry: ")[2]
    assert code == 2
    assert "Policy(" not in hint
    first = hint.strip().partition(",")[0] if "columns" not in hint else hint.strip().partition(", or")[0]
    command = words
    if first.startswith("samescore evaluate "):
        command, first = ["evaluate", "qrels", "run"], first.removeprefix("samescore evaluate ")
    for each in first.partition(" to ")[0].split(" or "):
        assert say(*command, *shlex.split(each))[2] == 0, each


def test_the_functions_of_one_ranking_name_the_function_that_takes_a_policy():
    with pytest.raises(PolicyError) as raised:
        samescore.mrr(["a"], [("a", 1), ("a", 2)])
    assert raised.value.hint == "evaluate(), with policy=Policy(conflicts='max') or Policy(conflicts='last'), or mend the qrels"


# Measures

SPELLINGS = [
    "HR@10", "hit@5", "nDGC@10", "ndgc", "recal", "reacll@5", "presicion@3", "map@", "ndcg@k", "P_10", "recall.5", "ndcg10", "RBO",
    "gm_map", "gm_bpref", "accuracy@10", "hole@10", "rbp@10", "expected_reciprocal_rank", "top_k_accuracy", "mean_reciprocal_rank",
    "set_recall", "IPrec@2", "iprec@10", "P(rel=2", "P(2)@5", "nDCG(gain=2)@10", "nDCG(cutoff=5)", "interpolated_precision_10",
    "recip_rank@10", "context_recall", "NDCG_at_10", "foo", "x" * 300,
]  # fmt: skip
ENDINGS = ["", "@10", "_10", "(rel=2)@10", "-l2", "@0", "@x", "@10@10", "(foo=1)", "(p=0.8)", "@0.5", "(rel=0)", "(cutoff=3)"]
IN_WORDS = ("judged by a language model", "samescore ", "a name such as ", "a measure that both have", "Success@k", "Unjudged@k")
"""How hints begin that are no names of measures."""


def hints_for(texts, tool="samescore"):
    """The hint for each text that is not read, but for those that are words."""
    for text in texts:
        try:
            parse(text, tool)
        except MeasureError as error:
            if not str(error.hint).startswith(IN_WORDS):
                yield text, str(error.hint)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_hint_for_a_measure_is_read_and_names_few_measures_and_no_other_than_those_that_may_be_meant(tool):
    texts = (name + ending for name in dict.fromkeys([*names(), *SPELLINGS]) for ending in ENDINGS)
    hints = {text: hint for text, hint in hints_for(texts, tool) if hint not in PARAMETERS}
    assert len(hints) > 100
    assert max(map(len, hints.values())) < 150
    for text, hint in hints.items():
        read = [parse(name) for name in re.split(r" or |, (?![^({]*[)}])", hint)]
        assert 1 <= len(read) <= 3, text
        assert len({measure.name for measure in read}) == 1, text


def test_a_misspelt_measure_is_answered_with_a_name_of_the_one_that_was_meant():
    meant = {}
    for name in (name for name in names() if len(name) > 4 and "@" not in name and meaning(name, "samescore")):
        meant |= dict.fromkeys([name[:-1] + "x" + name[-1], name[1] + name[0] + name[2:]], parse(name).name)
    answers = dict(hints_for(meant))
    assert len(answers) > 50
    assert {text: parse(hint).name for text, hint in answers.items()} == {text: meant[text] for text in answers}


@pytest.mark.parametrize(
    ("name", "meant"),
    [("HR@10", "Success@10"), ("hit@5", "Success@5"), ("mrr_at_10", "RR@10"), ("top_k_accuracy@5", "Success@5"),
     ("expected_reciprocal_rank@10", "ERR@10"), ("recip_rank@10", "RR@10")],
)  # fmt: skip
def test_names_that_people_have_for_a_measure_mean_it(name, meant):
    assert str(parse(name)) == meant
