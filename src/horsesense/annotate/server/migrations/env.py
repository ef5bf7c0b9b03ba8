"""What Alembic runs: the steps, on the connection that it was handed."""

from alembic import context

from horsesense.annotate.server.database_tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=False)
with context.begin_transaction():
    context.run_migrations()
