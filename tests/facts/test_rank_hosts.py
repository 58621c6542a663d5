from analyzer.facts.rank_hosts import expand_hosts


def test_hostlists_expand_in_order_and_keep_their_width() -> None:
    assert list(expand_hosts("gpu[001-003,007],login1")) == ["gpu001", "gpu002", "gpu003", "gpu007", "login1"]
    assert list(expand_hosts("a[9-11]-ib")) == ["a9-ib", "a10-ib", "a11-ib"]


def test_a_hostlist_that_stands_for_too_many_is_cut() -> None:
    assert sum(1 for _ in expand_hosts("n[0-99999999]")) == 10_000
