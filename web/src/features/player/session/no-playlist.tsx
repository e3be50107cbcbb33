import { Button, Card, Text, Title } from '@mantine/core'
import classes from '../player.module.css'

export function NoPlaylist({ onBack }: { onBack: () => void }) {
  return (
    <Card withBorder padding="xl" className={classes.empty}>
      <Title order={1} size="h3">
        No playlist assigned
      </Title>
      <Text c="dimmed" my="sm">
        As soon as your supervisor assigns one, you can watch it here.
      </Text>
      <Button onClick={onBack}>Back to Dashboard</Button>
    </Card>
  )
}
