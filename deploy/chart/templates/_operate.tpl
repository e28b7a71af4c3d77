{{- define "signalbox.operateName" -}}
{{ include "signalbox.fullname" . }}-operate
{{- end -}}

{{- /* The namespaces of runners in which something may be changed. */ -}}
{{- define "signalbox.operateNamespaces" -}}
{{- .Values.operate.namespaces | default .Values.watch.namespaces | toYaml -}}
{{- end -}}

{{- define "signalbox.operateChecks" -}}
{{- with .Values.operate -}}
{{- if not (or .namespaces $.Values.watch.namespaces) -}}
{{- fail "in which namespaces may runners be removed? operate.enabled needs operate.namespaces where watch.namespaces is empty: nothing is changed in all namespaces" -}}
{{- end -}}
{{- if .reap.enabled -}}
{{- if not .reap.policies -}}
{{- fail "operate.reap.enabled needs operate.reap.policies: what may it remove? See docs/gates/README.md, \"Policies\"" -}}
{{- end -}}
{{- if not .reap.token.existingSecret -}}
{{- fail "operate.reap.enabled needs operate.reap.token.existingSecret: a Secret with a token of the role operate, from `signalbox token create reap --role operate`" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* What reap looks at, in a namespace of runners or of ARC. */ -}}
{{- define "signalbox.operateReads" -}}
- apiGroups: ['']
  resources: [pods, events]
  verbs: [list]
- apiGroups: ['']
  resources: [pods/log]
  verbs: [get]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [list]
- apiGroups: [actions.github.com]
  resources: [autoscalingrunnersets, autoscalinglisteners, ephemeralrunnersets, ephemeralrunners]
  verbs: [list]
{{- end -}}

{{- /* A Role and its binding: name, namespace, rules. */ -}}
{{- define "signalbox.operateRole" -}}
{{- $account := include "signalbox.operateName" .root -}}
{{- $labels := include "signalbox.labels" (dict "root" .root "component" "operate") }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- $labels | nindent 4 }}
rules:
  {{- .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- $labels | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ $account }}
    namespace: {{ .root.Release.Namespace }}
{{- end -}}

{{- /* As deploy/operate/role.yaml; a test compares them. */ -}}
{{- define "signalbox.operateRules" -}}
- apiGroups: [actions.github.com]
  resources: [ephemeralrunners]
  verbs: [get, delete]
- apiGroups: [actions.github.com]
  resources: [ephemeralrunnersets]
  verbs: [patch]
- apiGroups: [actions.github.com]
  resources: [autoscalingrunnersets]
  verbs: [patch]
{{- end -}}

{{- define "signalbox.operateExecRules" -}}
- apiGroups: ['']
  resources: [pods/exec]
  verbs: [get, create]
{{- end -}}

{{- define "signalbox.operateListenerRules" -}}
- apiGroups: ['']
  resources: [pods]
  verbs: [get, delete]
{{- end -}}

{{- define "signalbox.operateSecretRules" -}}
- apiGroups: ['']
  resources: [secrets]
  verbs: [get, patch]
- apiGroups: ['']
  resources: [secrets]
  verbs: [create]
{{- end -}}
