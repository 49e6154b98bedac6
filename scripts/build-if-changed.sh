# For npm scripts that run what was built, in a development install: it is built anew when something of it has changed.
# `dist/admin` has the time at which the last complete build began. Folders count: a file that is gone changes them alone.
built=dist/admin
test -f "$built" || exec node scripts/bundle.ts >&2
changed=$(
  find src client scripts/bundle.ts scripts/store-methods.ts scripts/api-reference.ts package.json tsconfig.json node_modules/.package-lock.json \
    -newer "$built" 2>/dev/null | head -n 1
)
# Not to stdout, which others read.
test -z "$changed" || exec node scripts/bundle.ts >&2
