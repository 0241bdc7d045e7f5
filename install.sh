#!/usr/bin/env bash
# Without arguments: brings up a pool on this machine and runs a first job on it. Everything that
# this installs lies in .venv beside this file; it never installs a container engine and never asks
# for a password. With --role: installs a controller for a team, or the agent of a machine.
set -euo pipefail
given_token=${MINI_EAAS_TOKEN:-}
unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_USER CDPATH MINI_EAAS_SERVER MINI_EAAS_TOKEN

readonly NEEDED_MIB=300
readonly MAX_SOCKET_PATH=107 # the kernel's limit for a unix socket, less its closing zero

say() { printf '%s\n' "$*"; }
die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

usage() {
    cat <<'END'
./install.sh                   a pool on this machine alone, and a first job run on it
./install.sh --role controller                             the controller of a team
./install.sh --role agent --server HOST[:PORT] --token T   this machine's cards for that team
./install.sh --uninstall       stop and remove what was installed from this clone, but for the data

  --role ROLE         solo (as without), controller or agent
  --server HOST       the controller's address, as the controller's install.sh prints it
  --token TOKEN       what lets the machine in; --token-file FILE or the variable MINI_EAAS_TOKEN
                      keep it out of the list of processes
  --port N            where a new controller listens (default: 7470)
  --user              for yourself alone, without root; otherwise sudo is needed for a role
  --offline BUNDLE    take all packages from this folder or tar, which `make bundle` made, and
                      the images in it
  --image-mirror HOST take Docker Hub's images from this registry (HOST[:PORT][/PATH]) first
  --dry-run           make .venv, then only say what would be done
  -h, --help          this

Running it again from a newer clone is the upgrade: the database is copied first, then the
programs are started again, and jobs run on. More in docs/install.md.
END
}

# --- what was asked ----------------------------------------------------------------------------

role=solo server='' token_file='' port='' for_user='' bundle='' mirror='' dry_run='' uninstall=''
token_typed=''

read_arguments() { # the token goes through the environment from here on
    while (($#)); do
        case $1 in
        -h | --help) usage && exit 0 ;;
        --user) for_user=--user ;;
        --dry-run) dry_run=--dry-run ;;
        --uninstall) uninstall=--uninstall ;;
        --*=*) read_value "${1%%=*}" "${1#*=}" ;;
        *)
            (($# > 1)) || [[ $1 != --* ]] || read_value "$1" ''
            read_value "$1" "${2-}"
            shift
            ;;
        esac
        shift
    done
}

read_value() {
    case $1 in
    --role | --server | --token | --token-file | --port | --offline | --image-mirror) ;;
    *) die "there is no option $1; ./install.sh --help shows all" ;;
    esac
    [[ -n $2 && $2 != --* ]] || die "$1 needs a value; ./install.sh --help shows all"
    case $1 in
    --role) role=$2 ;;
    --server) server=$2 ;;
    --token) given_token=$2 token_typed=yes ;;
    --token-file) token_file=$2 ;;
    --port) port=$2 ;;
    --offline) bundle=$(realpath -m -- "$2") ;;
    --image-mirror) mirror=$2 ;;
    esac
}

check_arguments() {
    [[ -z $bundle || -r $bundle ]] || die "$bundle can't be read: make bundle writes such a tar"
    [[ $role == solo || $role == controller || $role == agent ]] ||
        die "there is no role $role: solo, controller or agent"
    [[ $role == agent || -z $server$token_file$token_typed ]] ||
        die "--server and --token are for a machine that joins a team's pool: add --role agent"
    [[ $role != controller || -z $mirror ]] ||
        die "--image-mirror is for machines that run jobs: --role agent, or no role at all"
    [[ $role == controller || -z $port ]] || die "--port is for --role controller"
    [[ $role == solo || -n $for_user || $EUID == 0 || -n $uninstall ]] ||
        die "--role $role is for the whole machine, which takes root: use sudo, or add --user" \
            "to install for yourself alone"
}

# --- what must be true before anything is changed ----------------------------------------------

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
makes_environments() { "$1" -c 'import venv, ensurepip' >/dev/null 2>&1; }
has() { command -v "$1" >/dev/null 2>&1; }

find_python() { # sets python; says which package helps when there is none
    local candidate found=''
    for candidate in python3 python3.13 python3.12 python3.11; do
        is_new_enough "$candidate" || continue
        found=$candidate
        if has uv || makes_environments "$candidate"; then
            python=$(command -v "$candidate")
            return
        fi
    done
    [[ -z $found ]] || die "$found cannot make virtual environments." \
        "On Debian and Ubuntu: sudo apt install $(basename "$(readlink -f "$(command -v "$found")")")-venv"
    has python3 || die "Python 3.11 or newer is needed. On Debian and Ubuntu: sudo apt install python3 python3-venv"
    die "Python 3.11 or newer is needed, and this machine has $(python3 --version 2>&1)." \
        "Where the system offers it: sudo apt install python3.11 python3.11-venv"
}

check_folder() {
    local free_kib probe
    probe=$(mktemp .probe.sh.XXXXXXXX 2>/dev/null) ||
        die "$PWD cannot be written by $(id -un); clone into a folder of your own."
    printf '#!/bin/sh\n' >"$probe"
    chmod u=rwx "$probe"
    "./$probe" 2>/dev/null || { rm -f "$probe"; die "$PWD does not let programs run (noexec); clone somewhere else."; }
    rm -f "$probe"
    [[ ! -x .venv/bin/python ]] || return 0
    free_kib=$(df -Pk . | awk 'NR == 2 { print $4 }')
    ((free_kib / 1024 >= NEEDED_MIB)) ||
        die "$PWD has $((free_kib / 1024)) MiB free; $NEEDED_MIB MiB are needed."
}

check_socket() { # elsewhere the pool finds a short enough place by itself
    local LC_ALL=C socket=${MINI_EAAS_SOCKET:-}
    ((${#socket} <= MAX_SOCKET_PATH)) ||
        die "MINI_EAAS_SOCKET is too long for a socket: ${#socket} bytes, $MAX_SOCKET_PATH at most."
}

# --- the virtual environment -------------------------------------------------------------------

# What an installation depends on: the pins, the place (scripts name it) and the Python.
fingerprint() { { cat pyproject.toml constraints.txt; pwd -P; "$python" --version; } | sha256sum | cut -d' ' -f1; }

install_packages() {
    if [[ -n $bundle ]]; then
        install_bundle
    elif has uv; then
        .venv/bin/python -c '' >/dev/null 2>&1 || { rm -rf .venv && uv venv --quiet --seed --python "$python" .venv; }
        uv pip install --quiet --python .venv/bin/python -c constraints.txt -e .
    else
        .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear .venv
        .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check -c constraints.txt -e .
    fi
}

install_bundle() { # from files alone: no index is asked
    local wheels=$bundle
    if [[ ! -d $bundle ]]; then
        wheels=$(mktemp -d "${TMPDIR:-/tmp}/mini-eaas-bundle.XXXXXXXX")
        tar -xf "$bundle" -C "$wheels" --exclude ./images.tar || return
    fi
    .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv --clear .venv || return
    .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check --no-index \
        --find-links "$wheels" -c constraints.txt 'setuptools>=77' wheel &&
        .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check --no-index \
            --find-links "$wheels" -c constraints.txt --no-build-isolation -e . || return
    [[ $wheels == "$bundle" ]] || rm -rf "$wheels"
}

make_environment() {
    local now log
    now=$(fingerprint)
    [[ $(cat .venv/.installed 2>/dev/null) != "$now" ]] || return 0
    say "Installing into $PWD/.venv ..."
    log=$(mktemp "${TMPDIR:-/tmp}/mini-eaas-install.XXXXXXXX")
    (umask 022 && install_packages) >"$log" 2>&1 || {
        tail -n 15 "$log" >&2
        die "installing the packages failed; the whole log is $log. Run ./install.sh again once that is put right."
    }
    rm -f "$log"
    printf '%s\n' "$now" >.venv/.installed
}

load_images() { # those of the bundle, for the engine of this machine
    local load=("$root/.venv/bin/python" -m eaas_agent.image_files load)
    if [[ -z $bundle || $role == controller ]]; then
        return
    elif [[ -d $bundle ]]; then
        [[ -e $bundle/images.tar ]] || return 0
        "${load[@]}" "$bundle/images.tar"
    else
        tar -tf "$bundle" ./images.tar >/dev/null 2>&1 || return 0
        tar -xOf "$bundle" ./images.tar | "${load[@]}" -
    fi || say "Note: the images of the bundle are not loaded. Run ./install.sh again once that is put right."
}

# --- the pool and its first job ----------------------------------------------------------------

runtime_here() { # prints docker as soon as a ready node runs containers, process if none does
    eaas node list -o json | "$root/.venv/bin/python" -c '
import json, sys
ready = [node["runtime"] for node in json.load(sys.stdin)["items"] if node["state"] == "Ready"]
print("docker" if "docker" in ready else "".join(ready[:1]))'
}

await_node() { # sets runtime
    local tries=60
    until runtime=$(runtime_here 2>/dev/null) && [[ -n $runtime ]]; do
        ((tries-- > 0)) || die "this machine's agent did not join the pool within 30 s; $(shown) node list and the logs say why."
        sleep 0.5
    done
}

why_no_engine() { # an engine that this user may not use is another matter than none
    local socket=${DOCKER_HOST:-unix:///var/run/docker.sock} me
    socket=${socket#unix://} me=$(id -un)
    if [[ -S $socket && ! -w $socket ]]; then
        printf '%s' "$me may not use $socket (sudo usermod -aG docker $me changes that, from the next login on)"
    else
        printf 'No container engine answers here'
    fi
}

run_hello() {
    say "Running a first job, config/jobs/hello.yaml:"
    if [[ $runtime == docker ]]; then
        eaas job submit "$hello" --follow
    else
        say "($(why_no_engine), so it runs as a plain process; nothing isolates it.)"
        eaas job submit "$hello" --image '' --follow
    fi || die "the first job did not succeed; $(shown) job list --all, then job show and job logs tell more."
}

eaas() { "$root/.venv/bin/mini-eaas" "$@"; }

shown() { # the command as the person would type it from where they are
    if [[ $root == "$called_from" ]]; then
        printf '.venv/bin/mini-eaas'
    else
        printf '%q' "$root/.venv/bin/mini-eaas"
    fi
}

next_steps() {
    local image=''
    [[ $runtime != docker ]] || image='--image mini-eaas/hello:1 '
    say ""
    say "Your pool is up. What next:"
    say "  open the console      $(shown) tui"
    say "  submit your own       $(shown) job submit $image--cmd 'echo my first job' --follow"
    say "  stop the pool         $(shown) down"
}

set_up() { # a role, or its removal: the programs know the rest
    local words=()
    [[ -n $uninstall ]] || words+=("$role")
    [[ -z $server ]] || words+=(--server "$server")
    [[ -z $token_file ]] || words+=(--token-file "$token_file")
    [[ -z $port ]] || words+=(--port "$port")
    [[ -z $mirror ]] || words+=(--image-mirror "$mirror")
    # shellcheck disable=SC2086 # empty ones are to vanish
    MINI_EAAS_TOKEN=$given_token eaas setup "${words[@]}" $for_user $dry_run $uninstall
}

remove() {
    [[ -x .venv/bin/python ]] || die "there is no .venv in $root, so nothing was installed from here"
    set_up
    [[ -z $dry_run ]] || return 0
    rm -rf .venv ./*.egg-info
    say "Removed $root/.venv; the clone itself can be deleted."
}

main() {
    read_arguments "$@"
    check_arguments
    umask u+rwx
    called_from=$(pwd -P)
    cd "$(dirname "${BASH_SOURCE[0]}")"
    root=$(pwd -P) hello=$root/config/jobs/hello.yaml
    if [[ -n $uninstall ]]; then
        remove
        return
    fi
    check_folder
    check_socket
    find_python
    make_environment
    cd "$called_from"
    [[ -n $dry_run ]] || load_images
    if [[ $role != solo ]]; then
        set_up
        return
    fi
    [[ -z $mirror ]] || set_up
    if [[ -n $dry_run ]]; then
        say "  mini-eaas up --headless: start the controller and this machine's agent"
        say "  mini-eaas job submit config/jobs/hello.yaml --follow"
        return
    fi
    say "Starting the controller and this machine's agent ..."
    eaas up --headless >/dev/null
    await_node
    run_hello
    next_steps
}

main "$@"
