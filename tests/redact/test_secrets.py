"""What opens doors is masked; what only sounds like it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.redact.secrets import MASK, mask_secrets, mask_text
from analyzer.redact.truncation import CONTEXT_FACTOR, truncate_line

SECRETS = {
    "WANDB_API_KEY=abc": "WANDB_API_KEY=",
    "env: DB_PASSWORD=hunter2 next": "DB_PASSWORD=",
    "--db-password hunter2abc --x 1": "--db-password ",
    '{"token": "abcd1234efgh"}': '"token": "',
    "s3://key:pw123456@host/x": "s3://key:",
    "GET https://x/y?X-Amz-Signature=abcdef&b=1": "X-Amz-Signature=",
    "Authorization: Bearer abc.def.ghi123": "Bearer ",
    "pushed with ghp_abcdefghijklmnopqrstuvwxyz0123456789": "pushed with ",
    "hf_abcdefghijklmnopqrstuvwx given": "",
    "id AKIAABCDEFGHIJKLMNOP": "id ",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc": "",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----": "-----BEGIN RSA PRIVATE KEY----- ",
}
WORDS = [  # commands; a password in the place of the asterisk
    "rar a -p* x.rar y",
    "7z a -p* x.7z",
    "zip -P * x.zip y",
    "zip -P=* x.zip",
    "mysql -u root -p* -h db",
    "sshpass -p * ssh u@h",
    "docker login -u u -p * r.example.net",
    "curl -s -u bob:* https://h.example.net",
    "curl --user=bob:* https://h.example.net",
    "lftp -u ftpuser,* sftp://h",
    "smbclient //h/s -U bob%* -c ls",
    "ldapsearch -x -w * -b y",
    "redis-cli -a * ping",
    "openssl rsa -passin pass:* -in k",
    "htpasswd -b f mo * ; ls",
    "mysql --password=* -h db",
    "export DB_PASSWORD=* ; ls",
]
PASSWORDS = [  # one word of a shell each
    'Ros"en4711":t1}}',
    '"Rosen4"711',
    "'Rosen4'711",
    '"Ros en4"',
    "Ros'en4 711'two",
    "Ros'en4'\"711 two\"",
    "'Ros'\"'\"'en4 711'",
    "Ros'en4|711'",
    'Ros\\"en4711',
]
QUOTED = {
    'sh -c "zip -P Rosen4" && echo "two"': 'sh -c "zip -P[secret]" && echo "two"',
    '{"cmd":"rar a -pRosen4","x":"two"}': '{"cmd":"rar a -p[secret]","x":"two"}',
    '["mysql", "-pRos en4", "-h", "db"]': '["mysql", "-p[secret]", "-h", "db"]',
    "['sshpass', '-p', 'Ros en4', 'ssh']": "['sshpass', '-p[secret]', 'ssh']",
    r'"[\"sshpass\", \"-p\", \"Ros en4\", \"x\"]"': r'"[\"sshpass\", \"-p[secret]\", \"x\"]"',
    r'"cmd": "zip -P \"Ros en4\" x.zip"': r'"cmd": "zip -P[secret] x.zip"',
    'curl -u "bob:Ros en4" https://x': 'curl -u "bob:[secret]" https://x',
    "mysql -p[secret]'two' x": "mysql -p[secret] x",
    "curl: option '-u' requires parameter": "curl: option '-u' requires parameter",
    '["mysql", "-p", "-h", "db"]': '["mysql", "-p", "-h", "db"]',
    '{"password": "Rosen4", "x": "two"}': '{"password": "[secret]", "x": "two"}',
    '<a password="Rosen4"/><b x="two"/>': '<a password="[secret]"/><b x="two"/>',
}
APART = [  # consecutive lines: a name, and below it the value
    ("  - name: DB_PASSWORD", "    value: {}"),
    ('  "name": "DB_PASSWORD",', '  "value": "{}"'),
    ("  <name>fs.s3a.secret.key</name>", "  <value>{}</value>"),
    ("password:", "  {}"),
    ("  password: |", "    {}"),
    ("  password: >-", "    {}"),
    ('{"password":', '  "{}",'),
    ("--db-password", "{}"),
    ("  --api-key \\", "  {} \\"),
    ("export AWS_SECRET_ACCESS_KEY=\\", "{}"),
]
TOGETHER = [  # what looks like the beginning of a setting, and is none
    ("  - name: NCCL_DEBUG", "    value: INFO_OF_ALL"),
    ("unexpected token:", "Traceback (most recent call last):"),
    ("KeyError: 'key'", "worker_1"),
    ("  --batch-size", "tensorflow"),
    ("tokens:", "8192"),
    ("GOOGLE_APPLICATION_CREDENTIALS=\\", "/etc/gcp/key.json"),
]
HARMLESS = [
    "token: 5",
    "unexpected token: <EOF>",
    "tokens per second: 12345678.9",
    "MAX_TOKENS=4096000",
    "TOKENIZERS_PARALLELISM=false",
    "GOOGLE_APPLICATION_CREDENTIALS=/etc/gcp/key.json",
    "group_key=1 instance_key=12345678",
    'secret "image-pull" not found',
    "password authentication failed for user",
    "KeyError: 'instance_key: 1234567890'",
    "RingReduce collective key 17",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_masked_and_its_name_stays(text: str) -> None:
    masked = mask_text(text)
    assert SECRETS[text] + MASK in masked
    assert mask_text(masked) == masked


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize("password", PASSWORDS)
def test_the_whole_word_of_a_password_is_masked(command: str, password: str) -> None:
    before, _, behind = command.partition("*")
    masked = mask_text(f"{before}{password}{behind}")
    assert not [part for part in ("Ros", "en4", "711", "two") if part in masked]
    assert masked.startswith(before.rstrip(" =\"'")) and masked.endswith(behind)
    assert mask_text(masked) == masked


@pytest.mark.parametrize(("text", "masked"), QUOTED.items())
def test_a_quote_around_a_command_ends_its_last_word(text: str, masked: str) -> None:
    assert mask_text(text) == masked and mask_text(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_sounds_like_a_secret_stays(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(("name", "value"), APART)
def test_a_value_below_its_name_is_masked(name: str, value: str) -> None:
    lines = ["before", name, value.format("Hunter2/abcdef"), "behind"]
    expected = ["before", name, value.format(MASK), "behind"]
    assert mask_secrets({"context": {"lines": lines}}) == {"context": {"lines": expected}}
    assert mask_text("\n".join(lines)) == "\n".join(expected)


@pytest.mark.parametrize("lines", TOGETHER)
def test_a_line_below_another_word_stays(lines: tuple[str, str]) -> None:
    assert mask_secrets({"lines": lines}) == {"lines": [*lines]} and mask_text("\n".join(lines)) == "\n".join(lines)


@given(st.text(max_size=300))
def test_any_text_is_masked_once_and_for_all(text: str) -> None:
    masked = mask_text(text)
    assert mask_text(masked) == masked


@pytest.mark.parametrize("mark", ['"', "'", "`", '\\"'])
def test_a_long_value_is_masked_up_to_its_quote(mark: str) -> None:
    """Else each further masking would mask a piece more."""
    masked = mask_text(f"a password={mark}{'x y ' * 5000}{mark} b")
    assert masked == f"a password={mark}[secret]{mark} b"
    endless = mask_text(f"a password={mark}{'x y ' * 5000}\nb")
    assert endless == f"a password={mark}[secret]\nb" and mask_text(endless) == endless


TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize("before", ["a%2F", "a%3d", "a%252F", r"a\n", r"a\\n", r"a\t", r"a\u0027", r"a\x27", "a&#39;"])
def test_a_token_begins_behind_an_escaped_separator(before: str) -> None:
    assert mask_text(f"x {before}{TOKEN} y") == f"x {before}{MASK} y"


@pytest.mark.parametrize("lead", ["net use \\\\fs\\x hunter2secretsecretsecret ", "", "größe " * 20])
@pytest.mark.parametrize("room", range(0, 44, 7))
def test_no_part_of_a_token_is_left_where_a_line_is_cut(lead: str, room: int) -> None:
    """Wherever a line ends: where it is shown up to, or where it is read up to."""
    for max_chars in (100, 400):
        for limit in (max_chars, CONTEXT_FACTOR * max_chars):
            filler = "word " * limit
            line = (lead + filler)[: limit - room - 1].rsplit(" ", 1)[0] + f" redis://{TOKEN} and more {filler}"
            assert TOKEN[:20] not in truncate_line(line.encode(), max_chars)
            assert TOKEN[:20] not in truncate_line(line.encode()[:limit], max_chars, is_cut=True)


def test_what_is_cut_ends_with_an_ellipsis_within_its_limit() -> None:
    words = "word " * 100
    for text in (words, "x" * 500):
        cut = truncate_line(text.encode(), 300)
        assert cut.endswith("…") and len(cut) <= 300 and text.startswith(cut[:-1])
    assert truncate_line(b"a whole line", 300) == "a whole line"
    assert truncate_line(b"the beginning of a line", 300, is_cut=True) == "the beginning of a…"
