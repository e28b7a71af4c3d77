import { describe, expect, it } from 'vitest'
import { HEAD, SIGNATURE, WHOLE, changed, problems } from '#test/rules/license-rules.ts'

describe('a file of rules that is wrong', () => {
  it.each<[string, string, string, RegExp]>([
    ['another version', 'v1alpha1', 'v2', /^1:13 apiVersion is not signalbox\.dev\/v1alpha1/],
    ['another kind', 'kind: Rules', 'kind: Rule', /^2:7 kind is not Rules/],
    ['no kind', 'kind: Rules\n', '', /^1:1 kind is missing → write kind: Rules/],
    ['a name with a capital', 'id: license-refused', 'id: License', /^4:9 signatures\[0\]\.id is not a name like/],
    [
      'a name of ours for a cause',
      'id: license-exhausted',
      'id: oom-container',
      /^14:9 causes\[0\]\.id oom-container is built in/,
    ],
    ['the name unknown', 'id: license-exhausted', 'id: unknown', /^14:9 causes\[0\]\.id unknown is built in/],
    ['no streams', '[runner-log]', '[]', /^7:18 .*streams is empty/],
    ['an empty value', 'strength: strong', 'strength:', /^9:18 .*strength has an unknown value → known: decisive/],
    [
      'a number for a text',
      'says: The license server refused.',
      'says: 3',
      /^5:11 signatures\[0\]\.says is wrong: it must be a string/,
    ],
    ['a text for a list', "next: ['Ask {node}.']", 'next: Ask', /^21:11 causes\[0\]\.next is wrong: it must be a list/],
    [
      'flags that are none',
      'strength: strong',
      "strength: strong\n        flags: 'g'",
      /^10:16 .*flags has other letters than i, m and s/,
    ],
    [
      'a reason without events',
      'strength: strong',
      'strength: strong\n        reasons: [Killing]',
      /^10:18 .*reasons are of no use without the stream event/,
    ],
    ['no example', "rejects: ['license server lic01 answered']", 'rejects: []', /^12:20 .*rejects is empty/],
    ['a weight of nothing', '0.9', '0', /^17:44 .*weight is not above zero/],
    [
      'a sentence without an end',
      '{oom-kill.victim}.',
      '{oom-kill.victim}',
      /^20:15 .*sentence does not begin with a capital/,
    ],
    [
      'a group that the clue has not',
      '{license-refused.server}',
      '{license-refused.port}',
      /^20:15 .*\{license-refused\.port\}, which is not known → license-refused has server/,
    ],
    [
      'an unknown clue in a sentence',
      '{oom-kill.victim}',
      '{oom-kilt.victim}',
      /^20:15 .*which is not known → did you mean oom-kill\?/,
    ],
    [
      'a pattern without a fixed text',
      "'license server (?P<server>\\S+) refused'",
      "'(?P<server>\\S+)'",
      /^8:16 .*regex holds no text .* → give literals/,
    ],
    ['an alias', 'next: [', 'next: [*a, ', /^21:12 /],
    ['the same key twice', 'kind: death', 'kind: death\n    kind: death', /^16:5 duplicate key kind/],
    [
      'double quotes around a regex',
      "'license server (?P<server>\\S+) refused'",
      '"\\S license"',
      /^8:17 .* → write regular expressions in single quotes/,
    ],
  ])('is refused for %s', (_, part, by, message) => {
    expect(problems(changed(part, by))).toContainEqual(expect.stringMatching(message))
  })

  it.each<[string, string, RegExp]>([
    ['nothing', '', /the file is empty: it must be a mapping/],
    ['a list', '- a\n', /the file is wrong: it must be a mapping/],
    ['no rules', HEAD, /the file has neither signatures nor causes/],
    ['two documents', `${WHOLE}---\n${WHOLE}`, /multiple documents/],
    ['a key that is a list', '? [a]\n: x\n', /a key must be a plain string/],
    ['a prototype', `${WHOLE}__proto__: { id: x }\n`, /unknown key __proto__/],
    ['an alias that means something', `${WHOLE}x: &a b\ny: *a\n`, /^23:4 aliases are not supported here/],
    ['depth', '['.repeat(50_000), /nests too deeply/],
  ])('is refused for %s', (_, text, message) => {
    expect(problems(text)).toContainEqual(expect.stringMatching(message))
  })

  it('refuses too many patterns before it compiles any', () => {
    const pattern = SIGNATURE.slice(SIGNATURE.indexOf('      - streams'))
    const many = (id: string) => `  - id: ${id}\n    says: Many.\n    patterns:\n${pattern.repeat(100)}`
    const text = `${HEAD}signatures:\n${['a', 'b', 'c', 'd', 'e', 'f'].map(many).join('')}`
    expect(problems(text)).toEqual([expect.stringMatching(/^4:3 signatures have 600 patterns together, of which 500/)])
  })
})
