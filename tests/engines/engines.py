"""Runs a query in an engine that Python has, and returns the rows as dicts."""

import importlib.util

MODULES = {"duckdb": "duckdb", "datafusion": "datafusion", "spark": "pyspark"}


def is_here(engine):
    return importlib.util.find_spec(MODULES[engine]) is not None


def connect(engine, master="local[2]"):
    """A function from a query to its rows."""
    return {"duckdb": duckdb, "datafusion": datafusion, "spark": spark}[engine](master)


def duckdb(_):
    import duckdb

    connection = duckdb.connect()

    def run(query):
        found = connection.sql(query)
        return [dict(zip(found.columns, row)) for row in found.fetchall()]

    return run


def datafusion(_):
    import datafusion

    context = datafusion.SessionContext().enable_url_table()
    return lambda query: context.sql(query.strip().rstrip(";")).to_pylist()


def spark(master):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.driver.memory", "4g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return lambda query: [row.asDict() for row in session.sql(query.strip().rstrip(";")).collect()]
