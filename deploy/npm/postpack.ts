import { renameSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..')
renameSync(path.join(root, 'package.json.unpacked'), path.join(root, 'package.json'))
