"""The released data, from the first source that has it."""

import gzip
import hashlib
import os
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bamboo.benchmark import download
from bamboo.benchmark.download import SOURCE_VARIABLE, ReleasedFile, fetch_folder, read_registry
from bamboo.errors import DownloadError

TEXT = b"# a released file\n"
NAME = "sts/main/src.test.amr"
SHA256 = hashlib.sha256(TEXT).hexdigest()
RELEASED = ReleasedFile(SHA256, len(TEXT))
ADDRESS = "https://example.invalid/0ff1ce"


@pytest.fixture
def target(home, monkeypatch):
    """The folder for downloads of a release with one file."""
    releases = {
        "release.txt": (ADDRESS, {NAME: RELEASED}),
        "other.txt": (ADDRESS, {"a/a.txt": RELEASED}),
    }
    monkeypatch.setattr(download, "read_registry", releases.get)
    return home / "downloads"


def ensure(target, report=lambda name, total: None):
    return fetch_folder("release.txt", target / "sts", None, report)


def release(folder, content=TEXT):
    """A folder that holds the file."""
    (folder / NAME).parent.mkdir(parents=True)
    (folder / NAME).write_bytes(content)
    return folder


@pytest.fixture
def server(tmp_path):
    """A web server's address and the folder behind it; files in ``compressed`` are gzip."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def end_headers(self):
            if self.path.startswith("/compressed/"):
                self.send_header("Content-Encoding", "gzip")
            super().end_headers()

    folder = tmp_path / "served"
    folder.mkdir()
    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", folder
        httpd.shutdown()
        thread.join()


def files(folder):
    """Everything below a folder, hidden files too."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_from_a_folder(target, monkeypatch):
    monkeypatch.setenv(SOURCE_VARIABLE, str(release(target.parent / "mirror")))
    done = []
    paths = ensure(target, lambda name, total: done.append((name, total)))
    assert paths == [target / NAME]
    assert paths[0].read_bytes() == TEXT
    assert done == [(NAME, 1)]
    assert files(target) == [NAME]


def test_the_second_source_is_tried_when_the_first_lacks_the_file(target, server, monkeypatch):
    address, folder = server
    release(folder / "0ff1ce")
    published = f"{address}/0ff1ce", {NAME: RELEASED}
    monkeypatch.setattr(download, "read_registry", lambda name: published)
    for first in (str(target.parent / "no-such-folder"), f"{address}/no-such-folder"):
        shutil.rmtree(target, ignore_errors=True)
        monkeypatch.setenv(SOURCE_VARIABLE, first)
        assert ensure(target)[0].read_bytes() == TEXT


def test_one_folder_may_contain_several_releases(target, monkeypatch):
    source = target.parent / "copies"
    release(source / "release")
    (source / "other" / "a").mkdir(parents=True)
    (source / "other" / "a" / "a.txt").write_bytes(TEXT)
    monkeypatch.setenv(SOURCE_VARIABLE, str(source))
    assert ensure(target)[0].read_bytes() == TEXT
    assert fetch_folder("other.txt", target / "a")[0].read_bytes() == TEXT


def test_an_existing_file_is_verified_but_not_downloaded(target):
    release(target)
    assert ensure(target) == [target / NAME]  # no source answers


def test_a_source_with_different_content_leaves_no_files(target, monkeypatch):
    mirror = release(target.parent / "mirror", b"altered")
    monkeypatch.setenv(SOURCE_VARIABLE, str(mirror))
    with pytest.raises(DownloadError) as caught:
        ensure(target)
    message = str(caught.value)
    for part in (NAME, SHA256, hashlib.sha256(b"altered").hexdigest(), str(mirror)):
        assert part in message
    assert files(target) == []


@pytest.mark.parametrize("kind", ["folder", "server", "compressed"])
def test_a_download_stops_at_the_size_of_the_released_file(target, server, monkeypatch, kind):
    address, folder = server
    long = bytes(1 << 20)
    release(folder / kind, gzip.compress(long) if kind == "compressed" else long)
    source = str(folder / kind) if kind == "folder" else f"{address}/{kind}"
    monkeypatch.setenv(SOURCE_VARIABLE, source)
    with pytest.raises(DownloadError, match=f"{NAME} differs from .*\n  it has more than 18 bytes"):
        ensure(target)
    assert files(target) == []


def test_what_a_server_compresses_is_the_released_file(target, server, monkeypatch):
    address, folder = server
    release(folder / "compressed", gzip.compress(TEXT))
    monkeypatch.setenv(SOURCE_VARIABLE, f"{address}/compressed")
    assert ensure(target)[0].read_bytes() == TEXT


def test_a_downloaded_file_has_the_permissions_of_the_umask(target, monkeypatch):
    monkeypatch.setenv(SOURCE_VARIABLE, str(release(target.parent / "mirror")))
    previous = os.umask(0o027)
    try:
        (path,) = ensure(target)
    finally:
        os.umask(previous)
    assert path.stat().st_mode & 0o777 == 0o640


def test_every_source_that_failed_is_listed(target, server, monkeypatch):
    address, _ = server
    monkeypatch.setenv(SOURCE_VARIABLE, f"{address}/empty")
    with pytest.raises(DownloadError) as caught:
        ensure(target)
    assert f"{address}/empty: 404" in str(caught.value)
    assert f"{address}/empty/release: 404" in str(caught.value)
    assert f"{ADDRESS}: no connection" in str(caught.value)


def test_a_data_folder_that_cannot_be_written_to(target):
    target.write_text("a file where a folder is needed")
    with pytest.raises(DownloadError, match=r"cannot write to .* Set BAMBOO_DATA_DIR"):
        ensure(target)


def test_the_registry_lists_the_released_files(shared):
    folder = shared / "bamboo-amr-benchmark"
    _, registry = read_registry("bamboo-amr-benchmark.txt")
    released = {f for f in files(folder) if f.endswith((".amr", ".y", ".txt"))}
    assert set(registry) == released
    for name in ("sts/test.y", "sick/main/tgt.test.amr", "para/role_confusion/src.dev.amr"):
        data = (folder / name).read_bytes()
        assert registry[name] == (hashlib.sha256(data).hexdigest(), len(data))


def test_fetch_downloads_all_files_of_a_data_set(cli, mirror, home):
    outcome = cli("fetch", "data=sick")
    root = home / "downloads/bamboo-amr-benchmark/sick"
    assert outcome.status == 0, outcome.err
    assert outcome.out == f"sick: {len(files(root))} files in {root}, checksums verified\n"
    assert files(root) == files(mirror / "sick")


def test_fetch_offline_and_with_an_altered_file(cli, mirror, home, monkeypatch):
    assert cli("run", "data=sts", "metric=smatch", "partition=arg").status == 0
    altered = home / "downloads/bamboo-amr-benchmark/sts/role_confusion/src.test.amr"
    altered.write_bytes(altered.read_bytes() + b"\n")
    for command in ("fetch", "run"):
        outcome = cli(command, "data=sts", *(["partition=arg"] if command == "run" else []))
        assert outcome.status == 1
        assert "sts/role_confusion/src.test.amr differs from" in outcome.err
        assert f"delete {altered}" in outcome.err
    altered.unlink()
    monkeypatch.delenv(SOURCE_VARIABLE)
    outcome = cli("run", "data=sts", "partition=arg")
    assert outcome.status == 1
    assert f"set {SOURCE_VARIABLE}" in outcome.err
