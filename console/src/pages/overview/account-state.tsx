import { Alert, Stack, Text } from '@mantine/core';
import { useAccount } from '../../session/session.js';
import { NoCredit } from '../../shared/no-credit.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { TextLink } from '../../ui/basics/links.js';

const words = text.attention;

export function AccountState() {
  const account = useAccount();
  if (!account) return null;
  const { id, isActive, isLow, balance } = account;
  return (
    <>
      {!isActive && (
        <Alert color="red" variant="light" icon={<Icon name="ban" />} title={words.accountOff}>
          {words.accountOffHint}
        </Alert>
      )}
      {isLow && balance <= 0 && <NoCredit title={text.noCredit.none} />}
      {isLow && balance > 0 && (
        <Alert color="yellow" variant="light" icon={<Icon name="coins" />} title={words.accountLow}>
          <Stack gap={4} align="flex-start">
            <Text size="sm">{words.accountLowHint}</Text>
            <TextLink to="/a/$accountId/settings" params={{ accountId: id }} size="sm">
              {words.toSettings}
            </TextLink>
          </Stack>
        </Alert>
      )}
    </>
  );
}
