/** `notify` with a scope as its payload means "look again" about that scope. */
export const WAKE_CHANNEL = 'signalbox_wake'
