import { Stack, Text, Title } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { text } from '../../text/en.js';
import { Heading } from './heading.js';

interface PageProps {
  title: string;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  /** A link back, above the title. */
  back?: ReactNode;
  /** For running text and forms, which are hard to read across a whole screen. */
  narrow?: boolean;
  children: ReactNode;
}

/** The frame of every page: its only h1, its actions, its contents. It names the tab of the browser as well. */
export function Page({ title, lead, actions, back, narrow = false, children }: PageProps) {
  const isOfInstallation = useLocation({ select: ({ pathname }) => /^(?:\/console)?\/installation\//.test(pathname) });
  useEffect(() => {
    const name = isOfInstallation ? text.navigation.installationPage(title) : title;
    document.title = title === text.shell.name ? title : `${name} · ${text.shell.name}`;
  }, [title, isOfInstallation]);
  return (
    <Stack gap="lg" maw={narrow ? 760 : 1400}>
      <Heading gap={4} miw={220} actions={actions}>
        {back}
        {/* The focus comes here where what held it is gone: `useFocusKept`. */}
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
