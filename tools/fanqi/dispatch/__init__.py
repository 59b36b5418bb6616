"""The submitting side: jobs in a durable ledger, leases on them, their answers collected."""
