{{- define "signalbox.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "signalbox.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "signalbox.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "signalbox.agentName" -}}
{{ include "signalbox.fullname" . }}-agent
{{- end -}}

{{- define "signalbox.selector" -}}
app.kubernetes.io/name: {{ include "signalbox.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "signalbox.labels" -}}
{{ include "signalbox.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "signalbox.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{- $tag := .Values.image.tag -}}
{{- /* From a file of values a number is a float, which would be printed with an exponent. */ -}}
{{- if and (ne $tag nil) (not (kindIs "string" $tag)) }}{{ $tag = int64 $tag | toString }}{{ end -}}
{{ .Values.image.repository }}:{{ $tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "signalbox.host" -}}
{{ include "signalbox.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- /* The Secret with the certificate; empty where the server makes its own. */ -}}
{{- define "signalbox.tlsSecret" -}}
{{- if .Values.tls.existingSecret -}}
{{- .Values.tls.existingSecret -}}
{{- else if .Values.tls.certManager.enabled -}}
{{- include "signalbox.fullname" . }}-tls
{{- end -}}
{{- end -}}

{{- define "signalbox.caConfigMap" -}}
{{ include "signalbox.fullname" . }}-ca
{{- end -}}

{{- /* By what agents, the API server and commands in the pod call the server. */ -}}
{{- define "signalbox.dnsNames" -}}
{{- $short := include "signalbox.fullname" . -}}
{{- $host := include "signalbox.host" . -}}
{{- list $host $short (printf "%s.%s" $short .Release.Namespace) (printf "%s.cluster.local" $host) "localhost" | toYaml -}}
{{- end -}}

{{- define "signalbox.claim" -}}
{{ .Values.persistence.existingClaim | default (printf "%s-data" (include "signalbox.fullname" .)) }}
{{- end -}}

{{- define "signalbox.agentPriorityClass" -}}
{{- if .Values.agent.priorityClassName -}}
{{- .Values.agent.priorityClassName -}}
{{- else if .Values.agent.priorityClass.create -}}
{{- include "signalbox.agentName" . -}}
{{- end -}}
{{- end -}}
