import { characters, runEnd } from '#/core/redaction/shapes/characters.ts'
import { endOfLine } from '#/core/redaction/shapes/line-ends.ts'
import { isHarmlessValue } from '#/core/redaction/values/secret-names.ts'
import type { Finder } from './finder.ts'

/** All patterns here are sticky, and every repetition in them is bounded. */

const WORD = characters(String.raw`^\s"'`)

const LOGIN_OPTION = /(?: -u|--user)[ =]["']?(?!\+)[^\s:"']{1,64}:/y

/** `curl -u user:password`. */
export const curlLogins: Finder = {
  literals: [' -u ', '--user'],
  find: (text, at) => {
    LOGIN_OPTION.lastIndex = at
    if (!LOGIN_OPTION.test(text)) return null
    const from = LOGIN_OPTION.lastIndex
    const to = runEnd(text, from, WORD)
    const value = text.slice(from, Math.min(to, from + 64))
    // A container's user and group.
    return to === from || isHarmlessValue(value) || /^\d+$/.test(value) ? null : { from, to, kind: 'credential' }
  },
}

const PASSWORD_OPTION = /(?:\w{1,8} login|sshpass)\s[^\n|;&]{0,160}?-p[ =]["']?|mysql (?:-[^p\s]\S{0,64} ){0,4}-p/y

/** `docker login -u name -p password`, `sshpass -p password`, `mysql -ppassword`. */
export const loginCommands: Finder = {
  literals: [
    'az login',
    'docker login',
    'podman login',
    'buildah login',
    'skopeo login',
    'registry login',
    'sshpass ',
    'mysql ',
  ],
  find: (text, at) => {
    PASSWORD_OPTION.lastIndex = at
    if (!PASSWORD_OPTION.test(text)) return null
    const from = PASSWORD_OPTION.lastIndex
    const to = runEnd(text, from, WORD)
    const value = text.slice(from, Math.min(to, from + 64))
    return to === from || isHarmlessValue(value) || /^(?:-|\d+$)/.test(value) ? null : { from, to, kind: 'credential' }
  },
}

const NETRC = /machine\s{1,8}[^\s"'\\]{1,255}\s{1,8}login\s{1,8}[^\s"'\\]{1,255}\s{1,8}password\s{1,8}/y
const NETRC_VALUE = characters(String.raw`^\s"'\\`)

export const netrcLogins: Finder = {
  literals: ['machine '],
  find: (text, at) => {
    NETRC.lastIndex = at
    if (!NETRC.test(text)) return null
    const from = NETRC.lastIndex
    const to = runEnd(text, from, NETRC_VALUE)
    return to === from || isHarmlessValue(text.slice(from, to)) ? null : { from, to, kind: 'credential' }
  },
}

const SQL_PASSWORD = /(?:identified by|with password|password)\s{1,4}'/iy

/** `CREATE USER … IDENTIFIED BY 'password'`. */
export const sqlPasswords: Finder = {
  literals: ['identified by ', "password '"],
  find: (text, at) => {
    SQL_PASSWORD.lastIndex = at
    if (!SQL_PASSWORD.test(text)) return null
    const from = SQL_PASSWORD.lastIndex
    const to = runEnd(text, from, IN_QUOTES)
    return text.charAt(to) !== "'" || isHarmlessValue(text.slice(from, to)) ? null : { from, to, kind: 'credential' }
  },
}

const IN_QUOTES = characters(String.raw`^'\r\n`)

/** What a workflow asks its runner to hide. */
export const maskCommands: Finder = {
  literals: ['::add-mask::', 'issecret=true'],
  find: (text, at) => {
    const start = at + (text.charAt(at) === ':' ? 12 : text.slice(at, at + 64).indexOf(']') + 1)
    if (start === at) return null
    const to = endOfLine(text, start)
    return isHarmlessValue(text.slice(start, to)) ? null : { from: start, to, kind: 'credential' }
  },
}

const DOCKERFILE =
  /(?:ENV|ARG) [A-Z0-9_]{0,64}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASS|API_KEY|PRIVATE_KEY|CREDENTIALS?|_PAT) /y

/** `ENV NPM_TOKEN value`, without a sign. */
export const dockerfileVariables: Finder = {
  literals: ['env ', 'arg '],
  find: (text, at) => {
    DOCKERFILE.lastIndex = at
    if (!DOCKERFILE.test(text)) return null
    const from = DOCKERFILE.lastIndex
    const to = endOfLine(text, from)
    return to === from || isHarmlessValue(text.slice(from, to)) ? null : { from, to, kind: 'env' }
  },
}
