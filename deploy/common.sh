# Set-up shared by deploy/run and deploy/test; sourced, POSIX sh, no GNU-only flags.
# In: $root (the clone), $lock (lock file below it). Out: $venv, $python, BLOGCRAWL_BROWSER_PATH (exported; "none" where there is no browser).
#
#   BLOGCRAWL_VENV       where the virtual environment goes (default: .venv in the clone, else the user's cache folder)
#   BLOGCRAWL_NO_SYSTEM  set: never install a package of the distribution
#   PYTHON               which Python to use (>= 3.11)

say() { printf 'blogcrawl: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Strangers' settings that would send packages elsewhere than into the environment.
unset PYTHONHOME PYTHONPATH PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV
PIP_DISABLE_PIP_VERSION_CHECK=1
export PIP_DISABLE_PIP_VERSION_CHECK

find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.14 python3.13 python3.12 python3.11; do
        if have "$candidate" && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            base_python=$(command -v "$candidate")
            return 0
        fi
    done
    die "needs Python 3.11 or newer as python3 (PYTHON=/path/to/python3.12 names another). Debian, Ubuntu: apt install python3 python3-venv. Fedora: dnf install python3. macOS: brew install python"
}

choose_venv() {
    if [ -n "${BLOGCRAWL_VENV:-}" ]; then
        venv=$BLOGCRAWL_VENV
    elif [ -w "$root" ] || [ -w "$root/.venv" ]; then
        venv=$root/.venv
    else
        id=$(printf '%s' "$root" | cksum | tr -d ' ')
        for base in "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}" "${TMPDIR:-/tmp}/blogcrawl-$(id -u)"; do
            venv=$base/blogcrawl/venv-$id
            if mkdir -p "$venv" 2>/dev/null && [ -w "$venv" ]; then
                return 0
            fi
        done
        die "no place for the virtual environment: $root, the cache folder and ${TMPDIR:-/tmp} are not writable (BLOGCRAWL_VENV names one)"
    fi
}

as_root() { # runs a command as root where that needs no question
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo; then
        sudo -n "$@"
    else
        return 1
    fi
}

system_install() { # names of the package at Debian and at Fedora
    [ -z "${BLOGCRAWL_NO_SYSTEM:-}" ] || return 1
    [ "$(id -u)" = 0 ] || { have sudo && sudo -n true 2>/dev/null; } || return 1
    if have apt-get; then
        say "installing the distribution's package $1"
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1" >>"$log" 2>&1 && return 0
        as_root apt-get update -q >>"$log" 2>&1
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1" >>"$log" 2>&1
    elif have dnf; then
        say "installing the distribution's package $2"
        as_root dnf install -y -q "$2" >>"$log" 2>&1
    else
        return 1
    fi
}

debian_pip() { # Debian and Ubuntu without python3-venv and without root: the package that carries pip may be fetched by anybody
    have apt-get && have dpkg-deb || return 1
    (cd "$work" && apt-get download -q python3-pip-whl >>"$log" 2>&1 && dpkg-deb -x python3-pip-whl_*.deb pip) || return 1
    set -- "$work"/pip/usr/share/python-wheels/pip-*.whl
    [ -f "$1" ] || return 1
    "$base_python" -m venv --clear --without-pip "$venv" >>"$log" 2>&1 && PYTHONPATH=$1 "$python" -m pip install -q "$1" >>"$log" 2>&1
}

make_venv() {
    "$base_python" -c 'import venv, ensurepip' 2>/dev/null && "$base_python" -m venv --clear "$venv" >>"$log" 2>&1 && return 0
    if "$base_python" -m pip --version >/dev/null 2>&1; then
        "$base_python" -m venv --clear --without-pip "$venv" >>"$log" 2>&1 \
            && "$base_python" -m pip --python "$python" install -q pip >>"$log" 2>&1 && return 0
    fi
    version=$("$base_python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if system_install "python$version-venv" python3-pip || system_install python3-venv python3-pip; then
        "$base_python" -m venv --clear "$venv" >>"$log" 2>&1 && return 0
    fi
    debian_pip && return 0
    die "this Python ($base_python) can make no virtual environment. Debian, Ubuntu: apt install python3-venv. (The log: $log)"
}

install_packages() {
    count=$(grep -c '^[a-z]' "$lock")
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        say "first start: making $venv"
        make_venv
    fi
    say "installing $count packages as $(basename "$lock") fixes them (one to two minutes, once)"
    if ! "$python" -m pip install -q --require-hashes -r "$lock" >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        die "the packages could not be installed; the lines above say why. Is there a network? (The log: $log)"
    fi
    # The package itself is read from the clone: a pulled change needs no new set-up.
    packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$root" >"$packages/blogcrawl-clone.pth"
    printf '#!/bin/sh\nexec "%s" -m blogcrawl "$@"\n' "$python" >"$venv/bin/blogcrawl"
    chmod +x "$venv/bin/blogcrawl"
    "$python" -m compileall -q "$root/blogcrawl" >/dev/null 2>&1 || true
}

find_browser() { # sets $browser, from what is there
    browser=
    for name in chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
        if have "$name"; then
            browser=$(command -v "$name")
            return 0
        fi
    done
    playwrights=${PLAYWRIGHT_BROWSERS_PATH:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ms-playwright}
    for place in "$playwrights" "${HOME:-/nonexistent}/Library/Caches/ms-playwright"; do
        [ -d "$place" ] || continue
        browser=$(find "$place" -type f \( -name 'headless_shell' -o -name 'chrome-headless-shell' -o -name 'chrome' -o -name Chromium \) -perm -u+x 2>/dev/null | sort | tail -n 1)
        [ -z "$browser" ] || return 0
    done
    return 1
}

fetch_browser() {
    say "no Chromium here; fetching Playwright's (once)"
    if "$python" -m playwright install --only-shell chromium >>"$log" 2>&1 && find_browser; then
        return 0
    fi
    system_install chromium-headless-shell chromium-headless || system_install chromium chromium || return 1
    find_browser
}

prepare_browser() {
    if [ -n "${BLOGCRAWL_BROWSER_PATH:-}" ]; then
        return 0
    fi
    if ! find_browser; then
        browser=none
        # Tried once per environment; delete the file to try again.
        if [ ! -e "$venv/.no-browser" ]; then
            if ! fetch_browser; then
                browser=none
                : >"$venv/.no-browser"
            fi
        fi
        [ "$browser" != none ] || say "no browser: rendering is off, posts that only JavaScript draws will be incomplete (install Chromium to change that)"
    fi
    BLOGCRAWL_BROWSER_PATH=$browser
    export BLOGCRAWL_BROWSER_PATH
}

prepare() {
    choose_venv
    python=$venv/bin/python
    stamp=$venv/.stamp-$(basename "$lock")
    wanted=$(cksum <"$lock")\ $root
    if [ ! -x "$python" ] || [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
        find_python
        work=$(mktemp -d "${TMPDIR:-/tmp}/blogcrawl.XXXXXX") || die "no place for temporary files in ${TMPDIR:-/tmp}"
        trap 'rm -rf "$work"; rmdir "$venv.busy" 2>/dev/null || true' EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM
        mkdir -p "$(dirname "$venv")"
        waited=0
        until mkdir "$venv.busy" 2>/dev/null; do
            [ "$waited" -gt 0 ] || say "another set-up is running in this clone; waiting for it (after a crash: rmdir '$venv.busy')"
            waited=$((waited + 1))
            [ "$waited" -lt 900 ] || die "the other set-up does not end; if there is none, remove $venv.busy"
            sleep 1
        done
        if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
            log=${venv}-setup.log
            : >"$log"
            install_packages
            printf '%s\n' "$wanted" >"$stamp"
            prepare_browser
        fi
        rm -rf "$work"
        rmdir "$venv.busy"
        trap - EXIT INT TERM
    fi
    log=${log:-/dev/null}
    prepare_browser
}
