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

{{- define "signalbox.tlsSecret" -}}
{{ .Values.tls.existingSecret | default (printf "%s-tls" (include "signalbox.fullname" .)) }}
{{- end -}}

{{- define "signalbox.claim" -}}
{{ .Values.persistence.existingClaim | default (printf "%s-data" (include "signalbox.fullname" .)) }}
{{- end -}}

{{- /* The volume of /data is a claim, a claim of the user's, or gone with the pod. */ -}}
{{- define "signalbox.hasClaim" -}}
{{- if and .Values.persistence.enabled (not .Values.database.existingSecret) -}}true{{- end -}}
{{- end -}}
