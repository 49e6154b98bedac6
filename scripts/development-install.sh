# For npm scripts that need the development packages, which `npm install --omit=dev` leaves out.
test -d node_modules/vitest || {
  echo 'This needs the development packages. Run first: npm install' >&2
  exit 1
}
