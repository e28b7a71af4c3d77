#!/bin/sh
# Packs each fleet that was written as a folder: NAME/ becomes NAME.tar.gz and NAME.expected.json.
set -eu
cd "$(dirname "$0")"
for folder in arc fresh fresh-2 written; do
  [ -d "$folder" ] || continue
  for fleet in "$folder"/*/; do
    [ -f "${fleet}meta.json" ] || continue
    name=$(basename "$fleet")
    mv "${fleet}expected.json" "$folder/$name.expected.json"
    rm -rf "${fleet}make"
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$fleet" -cf - . | gzip -9n > "$folder/$name.tar.gz"
    rm -rf "$fleet"
  done
done
