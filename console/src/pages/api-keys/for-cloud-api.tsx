import { Button, Collapse, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { accountChannelsQuery } from '../../api/account/account-channels.js';
import { CloudApiFields } from '../../shared/cloud-api-fields.js';
import { text } from '../../text/en.js';

interface CloudApiSectionProps {
  accountId: string;
  channelIds: readonly string[];
  token: string;
}

/** Shows the settings for programs that use Meta's Cloud API, with the new key and its WhatsApp channels. */
export function CloudApiSection({ accountId, channelIds, token }: CloudApiSectionProps) {
  const [opened, { toggle }] = useDisclosure(false);
  const { data = [] } = useQuery(accountChannelsQuery(accountId));
  const channels = data.filter(({ id, kind }) => kind === 'whatsapp' && channelIds.includes(id));
  if (channels.length === 0) return null;
  return (
    <>
      <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} aria-expanded={opened} onClick={toggle}>
        {text.cloudApi.title}
      </Button>
      <Collapse expanded={opened}>
        <Stack gap="sm">
          <CloudApiFields channels={channels} token={token} />
        </Stack>
      </Collapse>
    </>
  );
}
