"""Every form of output is found in its folder, has options of its own, and renders an incident."""

from __future__ import annotations

from collections import Counter

import pytest
from fixture_incidents import bundle_of, incident_of

from analyzer.report.forms import OutputForm, output_forms
from analyzer.report.json import write_incident


def test_the_forms_are_offered_in_their_order() -> None:
    assert list(output_forms())[:4] == ["html", "json", "markdown", "jira"]


def test_no_two_forms_share_an_option_or_a_suffix() -> None:
    names = Counter(name for form in output_forms().values() for name in (*form.options, *form.suffixes))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("form", output_forms().values(), ids=lambda form: form.name)
def test_a_form_renders_an_incident(form: OutputForm) -> None:
    assert "worker" in "".join(form.render(write_incident(incident_of(bundle_of("killed-worker")))))
