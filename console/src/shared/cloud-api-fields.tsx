import { Text } from '@mantine/core';
import { text } from '../text/en.js';
import { CopyField } from '../ui/forms/copy-field.js';

const words = text.cloudApi;

export const cloudApiUrl = () => `${window.location.origin}/graph`;

interface CloudApiFieldsProps {
  /** Channels to show; `graph` is null for SMS channels. */
  channels: readonly { id: string; name: string; graph: { phoneNumberId: string; businessAccountId: string } | null }[];
  token?: string;
}

/** Labeled with Meta's terms. */
export function CloudApiFields({ channels, token }: CloudApiFieldsProps) {
  const [first, ...others] = channels;
  const fieldLabel = (name: string, label: string) => (others.length > 0 ? words.ofChannel(label, name) : label);
  if (!first) return null;
  return (
    <>
      <Text size="sm">{words.lead}</Text>
      <CopyField label={words.baseUrl} value={cloudApiUrl()} />
      {token !== undefined && <CopyField label={words.accessToken} value={token} />}
      {channels.map(({ id, name, graph }) => (
        <div key={id} style={{ display: 'contents' }}>
          <CopyField label={fieldLabel(name, words.phoneNumberId)} value={graph?.phoneNumberId ?? ''} />
          <CopyField label={fieldLabel(name, words.businessAccountId)} value={graph?.businessAccountId ?? ''} />
        </div>
      ))}
    </>
  );
}
