#!/bin/sh
# Makes the files that docker-compose.yml gives to its containers, in the folder `secrets` or the one that is named:
#   sh deploy/create-secrets.sh [FOLDER]
# What is there already stays: a new key would make what the old one has sealed unreadable.
set -eu
folder=${1:-secrets}

random() {
  od -An -N 32 -tx1 /dev/urandom | tr -d ' \n'
}

# The folder is its owner's alone. The files are readable, because a container's user is another one, who gets them
# one by one.
keep() {
  [ -e "$folder/$1" ] || { cat >"$folder/$1.new" && chmod 444 "$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; }
}

mkdir -p "$folder"
chmod 700 "$folder"

random | keep postgres-password
random | keep inbox-password
random | keep confirmation-keys
random | keep secrets-key
echo "postgres://inbox:$(cat "$folder/inbox-password")@postgres:5432/inbox" | keep database-url

if [ ! -e "$folder/redis.conf" ]; then
  password=$(random)
  echo "redis://:$password@redis:6379" | keep redis-url
  # Counters of a minute: nothing that has to outlive the process.
  printf '%s\n' "requirepass $password" 'save ""' 'appendonly no' 'maxmemory 64mb' \
    'maxmemory-policy volatile-lru' | keep redis.conf
fi

echo "The secrets are in $folder."
