export const CLUSTER_ADVICE = ['give --kubeconfig FILE', 'see: signalbox doctor']
