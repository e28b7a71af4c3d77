import { z } from 'zod'
import { setting, text, webAddress } from '#/config/values.ts'

const selector = text.regex(/^\s*\{.*\}/s, 'must be a LogQL selector: {label="value"}')

export const loki = z.strictObject({
  url: setting(webAddress.optional(), {
    description:
      'A Loki that has the journals of nodes and the logs of pods: what cannot be read otherwise is read from there, also by `serve`',
  }),
  tenant: setting(text.optional(), { description: 'Its tenant (`X-Scope-OrgID`)' }),
  user: setting(text.optional(), { description: 'A user name: the token is then its password' }),
  token: setting(text.optional(), { description: 'The token for it', secret: 'whole' }),
  tokenFile: setting(text.optional(), { description: 'A file that contains that token', path: 'one' }),
  journal: setting(selector.prefault('{job="integrations/kubernetes/journal", instance="$node"}'), {
    description: 'The LogQL selector of the journal of `$node`; the default is that of the chart k8s-monitoring',
  }),
  pods: setting(selector.prefault('{namespace="$namespace", pod="$pod"}'), {
    description:
      'The LogQL selector of the logs of `$pod` in `$namespace`; the label `container` names the container. The default is that of the chart k8s-monitoring',
  }),
})

export const gitlab = z.strictObject({
  baseUrl: setting(webAddress.prefault('https://gitlab.com'), {
    description: 'The GitLab that `audit gitlab` asks, if there is a token',
  }),
  group: setting(text.optional(), {
    description: 'The group whose runners are listed, if the fleet file names none: its path or its id',
  }),
  token: setting(text.optional(), {
    description: 'A token of GitLab with the scope `read_api`; without it GitLab is never called',
    secret: 'whole',
  }),
  tokenFile: setting(text.optional(), { description: 'A file that contains that token', path: 'one' }),
})
