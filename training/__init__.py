"""Self-play training and evaluation; its commands are ``python -m training.<module>``."""

from envs.core.owner import check_agents

check_agents(__name__)
