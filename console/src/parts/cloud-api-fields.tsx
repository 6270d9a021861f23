import { Text } from '@mantine/core';
import { text } from '../text/en.js';
import { CopyField } from '../ui/forms/copy-field.js';

const words = text.cloudApi;

/** Where programs that were written for Meta's Cloud API find this server. */
export const cloudApiUrl = () => `${window.location.origin}/graph`;

interface CloudApiFieldsProps {
  /** Of which channels; those of SMS have none. */
  channels: readonly { id: string; name: string; graph: { phoneNumberId: string; businessAccountId: string } | null }[];
  /** What it is told as its access token, where that is at hand. */
  token?: string;
}

/** What a program that was written for Meta's Cloud API is told, in Meta's words. */
export function CloudApiFields({ channels, token }: CloudApiFieldsProps) {
  const [first, ...others] = channels;
  const named = (name: string, label: string) => (others.length > 0 ? words.ofChannel(label, name) : label);
  if (!first) return null;
  return (
    <>
      <Text size="sm">{words.lead}</Text>
      <CopyField label={words.baseUrl} value={cloudApiUrl()} />
      {token !== undefined && <CopyField label={words.accessToken} value={token} />}
      {channels.map(({ id, name, graph }) => (
        <div key={id} style={{ display: 'contents' }}>
          <CopyField label={named(name, words.phoneNumberId)} value={graph?.phoneNumberId ?? ''} />
          <CopyField label={named(name, words.businessAccountId)} value={graph?.businessAccountId ?? ''} />
        </div>
      ))}
    </>
  );
}
