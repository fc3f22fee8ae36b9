"""Serves a GGUF model with llama.cpp until standard input ends; prints the address once it answers.
Usage: serve.py FILE.gguf"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"tiny"} if isinstance(params.model_alias, set) else "tiny"
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 65536
params.n_parallel = 2
params.cpuparams.n_threads = 1
params.use_jinja = True
params.warmup = False
params.verbosity = -1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
