{{- /* What is read of the namespaces of the runners. */ -}}
{{- define "signalbox.watchRules" -}}
- apiGroups: ['']
  resources: [pods]
  verbs: [get, list, watch]
- apiGroups: ['']
  resources: [events]
  verbs: [list, watch]
- apiGroups: ['']
  resources: [pods/log]
  verbs: [get]
# ARC's record of a runner, which names its job, or says that its pod was refused.
- apiGroups: [actions.github.com]
  resources: [ephemeralrunners]
  verbs: [get, list, watch]
# A refused pod does not exist: read its owner and the quota.
- apiGroups: [apps]
  resources: [replicasets, statefulsets]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
- apiGroups: ['']
  resources: [resourcequotas]
  verbs: [list]
{{- end -}}
