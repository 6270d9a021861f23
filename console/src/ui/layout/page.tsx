import { Stack, Text, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { text } from '../../text/en.js';
import { Heading } from './heading.js';

interface PageProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: ReactNode;
  /** Whether the page is narrow, for prose and forms, which are hard to read across a wide screen. */
  narrow?: boolean;
  children: ReactNode;
}

/** Also sets the browser tab's title. */
export function Page({ title, lead, actions, back, narrow = false, children }: PageProps) {
  const isInstallationPage = useLocation({
    select: ({ pathname }) => /^(?:\/console)?\/installation\//.test(pathname),
  });
  useEffect(() => {
    const name = isInstallationPage ? text.navigation.installationPage(title) : title;
    document.title = title === text.shell.name ? title : `${name} · ${text.shell.name}`;
  }, [title, isInstallationPage]);
  return (
    <Stack gap="lg" maw={narrow ? 760 : 1400}>
      <Heading gap={4} miw={220} actions={actions}>
        {back}
        {/* The heading is focusable, because `useRestoreFocus` moves the focus to it. */}
        <Title order={1} tabIndex={-1}>
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" maw={720}>
            {lead}
          </Text>
        )}
      </Heading>
      {children}
    </Stack>
  );
}
