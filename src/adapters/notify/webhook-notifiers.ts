import { createHmac } from 'node:crypto'
import type { HttpMeans } from '#/adapters/http/exchange.ts'
import { slackMessage } from '#/core/notify/slack-message.ts'
import { teamsMessage } from '#/core/notify/teams-card.ts'
import { webhookBody } from '#/core/notify/webhook-body.ts'
import type { Secret } from '#/core/basics/secret.ts'
import type { Notifier } from '#/ports/notifier.ts'
import { postNotice } from './post-notice.ts'

export function slackNotifier(http: HttpMeans, url: Secret): Notifier {
  return { send: (notice, signal) => postNotice(http, { url, body: slackMessage(notice) }, signal) }
}

export function teamsNotifier(http: HttpMeans, url: Secret): Notifier {
  return { send: (notice, signal) => postNotice(http, { url, body: teamsMessage(notice) }, signal) }
}

/** Signed as GitHub signs its webhooks, so that what checks theirs can check ours. */
export function webhookNotifier(http: HttpMeans, url: Secret, secret: Secret | null): Notifier {
  return {
    send: (notice, signal) => {
      const headers = (body: string) => ({
        'x-signalbox-event': notice.isTest ? 'test' : 'deaths',
        'x-signalbox-delivery': notice.id,
        ...(secret === null ? {} : { 'x-signalbox-signature-256': signBody(secret, body) }),
      })
      return postNotice(http, { url, body: webhookBody(notice), headers }, signal)
    },
  }
}

function signBody(secret: Secret, body: string): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(body).digest('hex')}`
}
