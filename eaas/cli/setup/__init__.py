"""Installing for a team: what ``install.sh --role`` hands over to."""
