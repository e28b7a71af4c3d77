// Read by any Node, however old, before the program itself, which an old one could not even parse.
var parts = process.versions.node.split('.').map(Number)
if (parts[0] < 24 || (parts[0] === 24 && parts[1] < 14)) {
  process.stderr.write(
    'signalbox: this needs Node 24.14 or newer, and ' + process.execPath + ' is ' + process.versions.node + '\n' +
      '  in a checkout, npm ci puts the right one beside it; elsewhere: https://nodejs.org\n',
  )
  process.exit(1)
}
