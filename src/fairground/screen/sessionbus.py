"""The session bus of a desktop, and the services that it starts.

The bus runs backstage, out of reach of the desktop's programs, so it must not start programs for them there. Instead it
writes the name of a requested service to a pipe, and a script among the programs reads it and starts the service.
"""

from __future__ import annotations

from typing import Final

BUS: Final = """
folder="$1"; shift
command -v dbus-daemon >/dev/null || exit 127
mkdir "$folder/services" && mkfifo "$folder/activate" || exit 1
for file in /usr/share/dbus-1/services/*.service /usr/local/share/dbus-1/services/*.service; do
  [ -r "$file" ] || continue
  name= command=
  while IFS= read -r line || [ -n "$line" ]; do
    case "$line" in
      Name=*) name="${line#Name=}" ;;
      Exec=*) command="${line#Exec=}" ;;
    esac
  done < "$file"
  case "$name" in
    "" | *[!A-Za-z0-9._-]*) continue ;;
    org.a11y.Bus) start=/bin/true ;; # it is being started already; the bus waits for it
    *) start="/bin/sh -c 'echo $name > $folder/activate'" ;;
  esac
  printf '[D-BUS Service]\\nName=%s\\nExec=%s\\n' "$name" "$start" > "$folder/services/$name.service"
  printf '%s\\n' "$command" > "$folder/services/$name.command"
done
exec dbus-daemon "--config-file=$folder/bus.conf" --nofork --nopidfile --nosyslog "$@"
"""
"""Starts the bus of a desktop. Arguments: its folder, then options of `dbus-daemon`."""

ACTIVATOR: Final = """
exec 3<> "$1/activate"
while read -r name <&3; do
  read -r command < "$1/services/$name.command" && sh -c "exec $command" 3<&- &
done
"""
"""Starts the services that the bus requests. Argument: the desktop's folder."""


def bus_config(folder: str) -> str:
    """Return the configuration of the bus. As on every session bus, any program may use it and own a name."""
    return _CONFIG.replace("FOLDER", folder)


_CONFIG: Final = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
<type>session</type>
<keep_umask/>
<listen>unix:path=FOLDER/bus</listen>
<auth>EXTERNAL</auth>
<servicedir>FOLDER/services</servicedir>
<policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy>
<limit name="service_start_timeout">120000</limit>
<limit name="max_completed_connections">10000</limit>
<limit name="max_connections_per_user">10000</limit>
<limit name="max_replies_per_connection">50000</limit>
<limit name="max_match_rules_per_connection">50000</limit>
</busconfig>
"""
