import { Stack, Text } from '@mantine/core';
import { useChannel } from '../../session/session.js';
import { text } from '../../text/en.js';
import { toSid } from '../../text/sids.js';
import { CopyField } from '../../ui/forms/copy-field.js';
import { Section } from '../../ui/layout/section.js';

const words = text.apps;

/** Shows the settings that programs for Twilio's API need in addition to the key. */
export function TwilioSection({ accountId }: { accountId: string }) {
  const { channel } = useChannel();
  return (
    <Section title={words.twilio} lead={words.twilioLead}>
      <Stack maw="36rem">
        <CopyField label={words.baseUrl} value={window.location.origin} />
        <CopyField label={words.accountSid} value={toSid('AC', accountId)} />
        {channel && <CopyField label={words.messagingServiceSid(channel.name)} value={toSid('MG', channel.id)} />}
        <Text size="sm" c="dimmed">
          {words.contentSids}
        </Text>
      </Stack>
    </Section>
  );
}
