"""An S3 server in a process of its own, for tests: moto, one request at a time, so that conditional
writes are what they are on S3.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from s3fs import S3FileSystem

from toponaut.places.gazetteer.cache import cache_dir, open_names

_CODE = """
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.moto_server.werkzeug_app import MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server
app = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", 0, app, threaded=False, request_handler=MotoRequestHandler)
print(server.port, flush=True)
server.serve_forever()
"""


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """Gives the environment in which boto and s3fs find it. It has a bucket called "bucket"."""
    with subprocess.Popen(
        [sys.executable, "-c", _CODE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            environment = {
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{int(process.stdout.readline())}",
                "AWS_ACCESS_KEY_ID": "nobody",
                "AWS_SECRET_ACCESS_KEY": "nothing",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_EC2_METADATA_DISABLED": "true",
            }
            _make_bucket(environment)
            S3FileSystem.clear_instance_cache()  # one that knows another server
            yield environment
        finally:
            process.kill()


def own_cache(folder: Path) -> dict[str, str]:
    """The environment for a cache in which mirrors of other runs are not found; what was compiled
    is.
    """
    open_names()
    for compiled in cache_dir().glob("*.arrays"):
        (folder / compiled.name).symlink_to(compiled)
    return {"TOPONAUT_CACHE": str(folder)}


def _make_bucket(environment: dict[str, str]) -> None:
    code = "import s3fs; s3fs.S3FileSystem().mkdir('bucket')"
    subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, check=True, timeout=300
    )
