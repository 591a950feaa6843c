"""Options that commands share: the policy, one option for each of its clauses, and the form of the output."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import PolicyError, nearest, short
from ..policy import Policy, reasons

PRESETS = ("trec_eval", "ir_measures", "ranx", "beir", "msmarco")
"""The constructors of Policy that ``--policy`` knows by name."""


def add_policy(parser: argparse.ArgumentParser) -> None:
    """Give a parser ``--policy`` and an option for each clause, with its choices and its reason."""
    group = parser.add_argument_group("policy", "every choice that changes a score; the defaults are those of Policy()")
    group.add_argument(
        "--policy",
        metavar="PRESET|SIGNATURE",
        help=f"start from a preset ({', '.join(PRESETS)}) or from the signature of a result; the options below change it",
    )
    hints, why = get_type_hints(Policy), reasons()
    for clause in fields(Policy):
        option = f"--{clause.name.replace('_', '-')}"
        text = f"{why.get(clause.name, '')} (default: {_shown(clause.default)})".replace("%", "%%").replace("``", "")
        group.add_argument(option, dest=clause.name, default=argparse.SUPPRESS, help=text, **_kind(hints[clause.name]))


def policy_of(args: argparse.Namespace) -> Policy:
    """The policy that the options ask for.

    Raises PolicyError for a preset, clause or value that is unknown.
    """
    given = {name: value for name, value in vars(args).items() if name in Policy.__dataclass_fields__}
    return named_policy(args.policy).but(**given)


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Give a parser ``--format``; the first form is the default."""
    text = f"how the output is written (default: {formats[0]})"
    parser.add_argument("--format", choices=list(formats), default=formats[0], help=text)


def named_policy(name: str | None) -> Policy:
    """The policy that a preset or a signature names, Policy() where there is none.

    Raises PolicyError for what is neither.
    """
    if name is None:
        return Policy()
    if name in PRESETS:
        preset: Policy = getattr(Policy, name)()
        return preset
    if ":" in name:
        return Policy.parse(name)
    raise PolicyError(
        f"unknown policy {short(name)}", hint=f"{nearest(name, PRESETS)}, or a signature such as ties:input | dup:first"
    )


def _kind(hint: Any) -> dict[str, Any]:
    """What argparse must know of a clause, from its annotation: choices, a number, a number or all, yes or no."""
    if get_origin(hint) is Literal:
        return {"choices": get_args(hint)}
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction}
    if NoneType in get_args(hint):
        return {"type": _number_or_all, "metavar": "N|all"}
    return {"type": int, "metavar": "N"}


def _number_or_all(text: str) -> int | None:
    """A number, or None for all."""
    if text == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a whole number nor 'all'") from None


def _shown(default: object) -> str:
    """A clause's default as it is typed."""
    return {"None": "all", "True": "yes", "False": "no"}.get(str(default), str(default))
