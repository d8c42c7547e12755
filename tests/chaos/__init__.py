"""Programs killed at random moments, full disks, wrong clocks: see ``__main__`` for the command,
``scenarios`` for what is run.
"""
