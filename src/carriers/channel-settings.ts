export type ChannelSettings = Readonly<Record<string, unknown>>;
