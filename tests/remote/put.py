"""Makes a bucket of an S3 server and puts the files of a folder into it.

Usage: put.py ENDPOINT KEY SECRET BUCKET FOLDER PREFIX. The requests are signed as AWS's Signature
Version 4 says, by code of its own, so that qualm's signatures are not checked against themselves.
"""

import datetime
import hashlib
import hmac
import pathlib
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def signed(endpoint, key, secret, method, path, body):
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    host = urllib.parse.urlsplit(endpoint).netloc
    digest = hashlib.sha256(body).hexdigest()
    headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    canonical = "\n".join([method, urllib.parse.quote(path), "", lines, names, digest])
    scope = f"{day}/us-east-1/s3/aws4_request"
    text = "\n".join(
        ["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()]
    )
    signature = ("AWS4" + secret).encode()
    for part in [day, "us-east-1", "s3", "aws4_request", text]:
        signature = hmac.new(signature, part.encode(), hashlib.sha256).digest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, Signature={signature.hex()}"
    )
    url = endpoint + urllib.parse.quote(path)
    return urllib.request.Request(url, data=body, method=method, headers=headers)


def main():
    endpoint, key, secret, bucket, folder, prefix = sys.argv[1:]
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(signed(endpoint, key, secret, "PUT", f"/{bucket}", b""), timeout=10)
            break
        except urllib.error.HTTPError as error:
            if error.code == 409:  # The bucket is there.
                break
            if time.monotonic() > end:
                raise
        except OSError:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)
    for file in sorted(pathlib.Path(folder).iterdir()):
        body, path = file.read_bytes(), f"/{bucket}/{prefix}/{file.name}"
        while True:
            try:
                urllib.request.urlopen(signed(endpoint, key, secret, "PUT", path, body), timeout=60)
                break
            except OSError:
                # The server is still assigning its first volumes.
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)


main()
