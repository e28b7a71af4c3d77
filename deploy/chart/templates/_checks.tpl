{{- /* What the schema cannot say, with what to do instead. */ -}}
{{- define "signalbox.checks" -}}
{{- with .Values.watch -}}
{{- if and .namespaces .allNamespaces -}}
{{- fail "watch.namespaces and watch.allNamespaces are both set: choose one" -}}
{{- end -}}
{{- if not (or .namespaces .allNamespaces) -}}
{{- fail "which namespaces have runners? Name them: --set 'watch.namespaces={arc-runners}' (recommended: a Role in each of them). Or set watch.allNamespaces=true: a ClusterRole that reads the pods, pod logs and events of every namespace" -}}
{{- end -}}
{{- end -}}
{{- if gt (int .Values.server.replicas) 1 -}}
{{- fail "server.replicas must be 0 or 1: only one server records at a time, and agents and the audit webhook would send to the others what is needed there. Kubernetes restarts the one; see docs/install.md, \"One server\"" -}}
{{- end -}}
{{- if and .Values.tls.existingSecret .Values.tls.certManager.enabled -}}
{{- fail "tls.existingSecret and tls.certManager.enabled are both set: choose one" -}}
{{- end -}}
{{- if and .Values.tls.certManager.enabled (not .Values.tls.certManager.issuerRef.name) -}}
{{- fail "tls.certManager.enabled requires tls.certManager.issuerRef.name, of an issuer that puts ca.crt into its Secrets (CA, SelfSigned, Vault; not ACME)" -}}
{{- end -}}
{{- if .Values.dispatch.enabled -}}
{{- if not (or .Values.github.app.existingSecret .Values.github.token.existingSecret) -}}
{{- fail "dispatch.enabled needs github.app.existingSecret or github.token.existingSecret: the server registers runners with it" -}}
{{- end -}}
{{- if not .Values.dispatch.webhook.existingSecret -}}
{{- fail "dispatch.enabled needs dispatch.webhook.existingSecret: a Secret with the secret of the webhook (openssl rand -hex 32), which GitHub signs with" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.customCA.configMap .Values.customCA.secret -}}
{{- fail "customCA.configMap and customCA.secret are both set: choose one" -}}
{{- end -}}
{{- end -}}
