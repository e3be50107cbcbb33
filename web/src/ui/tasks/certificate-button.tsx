import { Button } from '@mantine/core'
import { useState } from 'react'
import { useGetSessionQuery } from '../../api/gateway.ts'
import { downloadCertificate } from '../../api/issue-document.ts'
import { useAlerts } from '../feedback/alerts.tsx'

interface CertificateButtonProps {
  playlistId: string
  title: string
  /** Without it, the certificate of the signed-in person. */
  userId?: string | undefined
}

/** Downloads the certificate of a task that was completed by watching. */
export function CertificateButton({ playlistId, title, userId }: CertificateButtonProps) {
  const { data: person } = useGetSessionQuery()
  const alerts = useAlerts()
  const [isPreparing, setPreparing] = useState(false)
  const ownerId = userId ?? person?.id

  async function download() {
    if (isPreparing || ownerId === undefined) return
    setPreparing(true)
    const failure = await downloadCertificate(ownerId, playlistId)
    setPreparing(false)
    if (failure) alerts.fail('The certificate could not be downloaded. Please try again.', failure)
  }
  return (
    <Button variant="default" size="xs" aria-label={`Certificate: ${title}`} loading={isPreparing} onClick={download}>
      Certificate
    </Button>
  )
}
