{{- /* signalbox.yaml, from the values; what `config` says is stronger. */ -}}
{{- define "signalbox.config" -}}
{{- $config := dict
  "listen" "0.0.0.0:8443"
  "data" "/data"
  "agent" (dict "serviceAccount" (printf "%s/%s" .Release.Namespace (include "signalbox.agentName" .)))
  "log" (dict "format" .Values.log.format "level" .Values.log.level)
-}}
{{- $tls := dict "caConfigMap" (printf "%s/%s" .Release.Namespace (include "signalbox.caConfigMap" .)) -}}
{{- if include "signalbox.tlsSecret" . -}}
{{- $_ := set $tls "certFile" "/etc/signalbox/tls/tls.crt" }}{{ $_ := set $tls "keyFile" "/etc/signalbox/tls/tls.key" }}{{ $_ := set $tls "caFile" "/etc/signalbox/tls/ca.crt" -}}
{{- else -}}
{{- $_ := set $tls "names" (append (include "signalbox.dnsNames" . | fromYamlArray) "127.0.0.1") -}}
{{- end -}}
{{- $_ := set $config "tls" $tls -}}
{{- $kubernetes := dict "namespaces" (.Values.watch.namespaces | default (list "*")) -}}
{{- with .Values.watch.podSelector }}{{ $_ := set $kubernetes "podSelector" . }}{{ end -}}
{{- $_ := set $config "kubernetes" $kubernetes -}}
{{- if .Values.database.existingSecret }}{{ $_ := set $config "databaseUrlFile" "/etc/signalbox/database/url" }}{{ end -}}
{{- $github := dict -}}
{{- with .Values.github.baseUrl }}{{ $_ := set $github "baseUrl" . }}{{ end -}}
{{- with .Values.github.owners }}{{ $_ := set $github "owners" . }}{{ end -}}
{{- if .Values.github.token.existingSecret }}{{ $_ := set $github "tokenFile" "/etc/signalbox/github/token" }}{{ end -}}
{{- with .Values.github.app -}}
{{- if .existingSecret -}}
{{- $app := dict "id" (int64 (required "github.app.existingSecret requires github.app.id" (.id | default nil))) "privateKeyFile" "/etc/signalbox/github/private-key.pem" -}}
{{- with .installationId }}{{ $_ := set $app "installationId" (int64 .) }}{{ end -}}
{{- $_ := set $github "app" $app -}}
{{- end -}}
{{- end -}}
{{- if $github }}{{ $_ := set $config "github" $github }}{{ end -}}
{{- /* Commands in the pod (kubectl exec) use this socket and need no token. In /tmp: not every volume can hold a socket. */ -}}
{{- $api := dict "socket" "/tmp/signalbox.sock" "server" "unix:/tmp/signalbox.sock" -}}
{{- if .Values.api.existingSecret }}{{ $_ := set $api "tokenFile" "/etc/signalbox/api/token" }}{{ end -}}
{{- $_ := set $config "api" $api -}}
{{- if .Values.audit.existingSecret }}{{ $_ := set $config "audit" (dict "tokenFile" "/etc/signalbox/audit/token") }}{{ end -}}
{{- if .Values.guard.enabled }}{{ $_ := set $config "guard" (dict "stamp" true) }}{{ end -}}
{{- if .Values.dispatch.enabled -}}
{{- $_ := set $config "dispatch" (dict "enabled" true "url" (printf "https://%s:%d" (include "signalbox.host" .) (int64 .Values.service.port)) "startsPerNode" (int64 .Values.dispatch.startsPerNode)) -}}
{{- $_ := set $github "webhookSecretFile" "/etc/signalbox/webhook/secret" -}}
{{- $_ := set $config "github" $github -}}
{{- end -}}
{{- with .Values.notify.settings }}{{ $_ := set $config "notify" . }}{{ end -}}
{{- mustMergeOverwrite $config (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{- /* The secrets that the server is given as files: name, key, file. */ -}}
{{- define "signalbox.secrets" -}}
{{- with .Values.database }}{{ if .existingSecret }}
- { folder: database, secret: {{ .existingSecret }}, key: {{ .key }}, file: url }
{{- end }}{{ end }}
{{- with .Values.github.app }}{{ if .existingSecret }}
- { folder: github, secret: {{ .existingSecret }}, key: {{ .privateKeyKey }}, file: private-key.pem }
{{- end }}{{ end }}
{{- with .Values.github.token }}{{ if .existingSecret }}
- { folder: github, secret: {{ .existingSecret }}, key: {{ .key }}, file: token }
{{- end }}{{ end }}
{{- with .Values.api }}{{ if .existingSecret }}
- { folder: api, secret: {{ .existingSecret }}, key: {{ .key }}, file: token }
{{- end }}{{ end }}
{{- if .Values.dispatch.enabled }}{{ with .Values.dispatch.webhook }}
- { folder: webhook, secret: {{ .existingSecret }}, key: {{ .key }}, file: secret }
{{- end }}{{ end }}
{{- with .Values.audit }}{{ if .existingSecret }}
- { folder: audit, secret: {{ .existingSecret }}, key: {{ .key }}, file: token }
{{- end }}{{ end }}
{{- end -}}
