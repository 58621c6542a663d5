from analyzer.facts.kubectl_describe import read_described_pods

POD = """Name:             trainer-1
Namespace:        ml
Node:             gpu17/10.128.0.41
IP:               10.2.0.7
Containers:
  main:
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    State:          Terminated
      Reason:       Error
      Exit Code:    1
"""


def test_a_described_pod_states_its_node_address_and_exit() -> None:
    (pod,) = read_described_pods(POD)
    assert (pod.name, pod.hosts, pod.line) == ("trainer-1", ("gpu17",), 1)
    assert [(end.code, end.reason) for end in pod.exits] == [(137, "OOMKilled"), (1, "Error")]
    assert [setting.value for setting in pod.settings] == ["gpu17", "10.2.0.7"]


def test_several_pods_are_split_at_their_names() -> None:
    assert [(pod.name, pod.line) for pod in read_described_pods(POD + POD.replace("trainer-1", "trainer-2"))] == [
        ("trainer-1", 1),
        ("trainer-2", 13),
    ]


def test_descriptions_of_other_objects_are_ignored() -> None:
    assert read_described_pods("Name:         mnist\nNamespace:    ml\nKind:         TFJob\n") == []
    assert read_described_pods("a log\n") == []


def test_events_below_a_described_machine_are_its_own() -> None:
    machine = "Name:               gpu17\nRoles:              <none>\nEvents:\n  Warning  SystemOOM  5m  kubelet  x\n"
    assert [(described.name, described.line) for described in read_described_pods(POD + machine)] == [
        ("trainer-1", 1),
        ("gpu17", 13),
    ]
