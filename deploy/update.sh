#!/usr/bin/env bash
# Updates the services to this folder's sources and .env, replica by replica, so that no request fails.
# See docs/operations.md, also for going back.
#
#   deploy/update.sh           builds the images
#   deploy/update.sh --pull    pulls the images that your own compose file names
set -euo pipefail
cd "$(dirname "$0")/.."

readonly ready_within=120
# The same as in haproxy.cfg.
readonly most_apis=10
# Workers come first, as a new API may create jobs that only new workers know.
readonly services=(ingest-worker export-worker query-worker api)
# The last started replica, while it is not ready.
starting=''
finished=''

say() { printf 'update: %s\n' "$*"; }
fail() {
  say "$@" >&2
  exit 1
}

# Removes only the replica that is not ready.
clean_up() {
  if [[ -n $starting ]]; then docker rm --force "$starting" >/dev/null; fi
  if [[ -n $finished ]]; then return; fi
  say 'not finished. The replicas that are ready serve on. Run this again to go on.' >&2
  say 'To go back, check out the version and the .env that you had, and run this again.' >&2
}

# The ids of the containers of a service, without those of `docker compose run`.
containers() {
  docker ps --quiet --no-trunc --filter "label=com.docker.compose.project=$project" \
    --filter "label=com.docker.compose.service=$1" --filter label=com.docker.compose.oneoff=False "${@:2}"
}

inspect() { docker inspect --format "$2" "$1"; }

# Whether a container has the current settings of its service.
has_settings() {
  [[ $(docker compose config --hash "$1") == "$1 $(inspect "$2" '{{index .Config.Labels "com.docker.compose.config-hash"}}')" ]]
}

has_image() {
  [[ $(docker image inspect --format '{{.Id}}' "$(inspect "$1" '{{.Config.Image}}')") == "$(inspect "$1" '{{.Image}}')" ]]
}

# The number of replicas in the settings of a service.
wanted() {
  docker compose config |
    awk -v service="  $1:" '/^  [^ ]/ { found = $0 == service } found && $1 == "replicas:" { print $2 }'
}

ask_haproxy() { docker exec "$haproxy" bash -c "exec 3<>/dev/tcp/127.0.0.1/9999; echo '$1' >&3; cat <&3"; }

# The addresses that HAProxy sends requests to. In column 6, 2 is `running`.
served() { ask_haproxy 'show servers state api' | awk '$6 == 2 { print $5 }'; }

is_served() {
  local address
  for address in $(inspect "$1" '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'); do
    if served | grep --fixed-strings --line-regexp "$address" >/dev/null; then return 0; fi
  done
  return 1
}

# The health check of the container, without its interval.
is_healthy() { docker exec "$1" node -e "$(inspect "$1" '{{index .Config.Healthcheck.Test 3}}')" 2>/dev/null; }

is_ready() { is_healthy "$2" && { [[ $1 != api ]] || is_served "$2"; }; }

wait_until_ready() {
  local service=$1 id=$2 deadline=$((SECONDS + ready_within))
  until is_ready "$service" "$id"; do
    if ((SECONDS >= deadline)) || [[ $(inspect "$id" '{{.RestartCount}}') != 0 ]]; then
      say "$service: the new replica does not get ready. Its last lines:" >&2
      docker logs --tail 10 "$id" >&2
      exit 1
    fi
    sleep 0.5
  done
}

# Starts one more replica.
start_replica() {
  local service=$1 before
  before=$(containers "$service" --all | sort)
  docker compose --progress quiet up --detach --no-deps --no-recreate \
    --scale "$service=$(($(grep --count . <<<"$before" || true) + 1))" "$service"
  starting=$(containers "$service" --all | sort | comm -13 <(echo "$before") -)
  wait_until_ready "$service" "$starting"
  starting=''
  say "$service: a new replica is ready"
}

# The replica gets SIGTERM, and has STOP_GRACE_PERIOD to finish its work.
stop_replica() {
  docker stop "$2" >/dev/null
  docker rm "$2" >/dev/null
  say "$1: a replica has stopped"
}

update_service() {
  local service=$1 count id current=() old=()
  count=$(wanted "$service")
  for id in $(containers "$service" --all); do
    if [[ $(inspect "$id" '{{.State.Status}}') != running ]]; then
      docker rm --force "$id" >/dev/null
    elif has_image "$id" && has_settings "$service" "$id"; then
      current+=("$id")
    else
      old+=("$id")
    fi
  done
  for id in "${current[@]}"; do wait_until_ready "$service" "$id"; done
  local missing=$((count - ${#current[@]}))
  for ((; missing > 0; missing--)); do
    start_replica "$service"
    if ((${#old[@]} > 0)); then
      stop_replica "$service" "${old[0]}"
      old=("${old[@]:1}")
    fi
  done
  for id in "${old[@]}" "${current[@]:count}"; do stop_replica "$service" "$id"; done
  say "$service: $count up to date"
}

# Has HAProxy read its files again if one is newer than its process.
reload_haproxy() {
  local uptime changed
  uptime=$(ask_haproxy 'show info' | awk '$1 == "Uptime_sec:" { print $2 }')
  changed=$(docker exec "$haproxy" find /usr/local/etc/haproxy -type f -newerct "@$(($(date +%s) - uptime))")
  if [[ -z $changed ]]; then return; fi
  docker exec "$haproxy" bash /usr/local/etc/haproxy/reload.sh
  say 'haproxy: has read its new configuration'
}

# Lists services that were not restarted, because a restart would interrupt requests.
name_others() {
  local service id meanwhile
  for service in $(docker compose config --services); do
    case $service in
      api | *-worker | *-init) continue ;;
      haproxy) meanwhile='it takes no connection until its requests have ended, at most 20 s' ;;
      mongo*) meanwhile='uploads get 503 for some seconds' ;;
      redis) meanwhile='exports and imports wait some seconds' ;;
      *) meanwhile='it does not answer' ;;
    esac
    for id in $(containers "$service"); do
      if has_image "$id" && has_settings "$service" "$id"; then continue; fi
      say "$service: left as it was, though its image or settings have changed. To restart it: docker compose up -d --no-deps $service (meanwhile $meanwhile)"
    done
  done
}

check() {
  local id count
  [[ $(containers haproxy) && $(served) ]] ||
    fail 'no API serves, so none can go on serving. Start Sluice: docker compose up -d --build --wait'
  for id in $(containers mongo) $(containers redis); do
    [[ $(inspect "$id" '{{.State.Health.Status}}') == healthy ]] || fail "a store is not healthy, see: docker logs $id"
  done
  count=$(wanted api)
  ((count > 0 && count <= most_apis)) || fail "API_REPLICAS is $count, and must be 1 to $most_apis."
  (($(containers api | wc --lines) < most_apis)) ||
    fail "there is no room for a new API beside $most_apis others. Make some: docker compose up -d --no-deps --no-recreate --scale api=9 api"
}

case ${1-} in
  '' | --pull) ;;
  *) fail 'the only option is --pull.' ;;
esac
docker compose version >/dev/null || fail 'docker compose is missing.'
docker compose config --quiet || fail 'docker-compose.yml and .env are not valid.'
exec 9<deploy
flock --nonblock 9 || fail 'another update is running.'
project=$(docker compose config | awk '/^name: / { print $2 }')
haproxy=$(containers haproxy)
check
trap clean_up EXIT
trap 'exit 130' INT TERM
if [[ ${1-} == --pull ]]; then docker compose pull "${services[@]}"; else docker compose build "${services[@]}"; fi
for service in "${services[@]}"; do update_service "$service"; done
if has_settings haproxy "$haproxy"; then reload_haproxy; fi
name_others
finished=yes
