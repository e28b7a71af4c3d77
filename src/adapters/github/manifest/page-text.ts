import { createHash } from 'node:crypto'
import type { AppManifest } from '#/core/github/app-manifest.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}button,a.go{font:inherit;padding:.5rem 1rem}code{background:#8882;padding:0 .2rem}'
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64')

/** The last page that the browser is shown. */
export type PageEnd = {
  readonly title: string
  readonly text: string
  readonly link?: { readonly url: string; readonly label: string }
}

/** Nothing is kept, framed or run, and the only form goes to GitHub. The address of a page, which holds the code, goes nowhere. */
export function pageHeaders(github: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; form-action ${github}; base-uri 'none'; frame-ancestors 'none'`,
    connection: 'close',
  }
}

export function startPage(formAt: string, manifest: AppManifest): string {
  const permissions = Object.entries(manifest.default_permissions).map(([name, level]) => `${name}: ${level}`)
  const webhook = manifest.hook_attributes?.url ?? 'none'
  return renderPage(
    'Create the GitHub App',
    `<p>The next page is GitHub's. It shows the name, which you can change there, and asks you to confirm.</p>
<ul>
<li>permissions: <code>${permissions.map(escapeHtml).join('</code>, <code>')}</code></li>
<li>webhook: <code>${escapeHtml(webhook)}</code>, events: ${escapeHtml(manifest.default_events.join(', ') || 'none')}</li>
</ul>
<form method="post" action="${escapeHtml(formAt)}">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">
<button>Continue at ${escapeHtml(new URL(formAt).host)}</button>
</form>`,
  )
}

export function endPage({ title, text, link }: PageEnd): string {
  const go =
    link === undefined ? '' : `<p><a class="go" href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`
  return renderPage(title, `<p>${escapeHtml(text)}</p>${go}`)
}

function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Signalbox: ${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
${body}
</body></html>
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
