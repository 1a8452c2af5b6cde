"""Every example of a docstring is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import privet

MODULES = sorted(own.name for own in pkgutil.iter_modules(privet.__path__) if own.name != "_native")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    for needed in ("pandas", "polars", "pyarrow", "sklearn"):
        pytest.importorskip(needed)
    module = importlib.import_module(f"privet.{name}")
    failed, _ = doctest.testmod(module, extraglobs={"privet": privet}, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert failed == 0


def test_the_first_example():
    pytest.importorskip("pandas")
    failed, tried = doctest.testmod(privet)
    assert failed == 0 and tried > 3


def test_public_names_are_documented():
    for name in privet.__all__:
        if name != "__version__":
            assert getattr(privet, name).__doc__, name
