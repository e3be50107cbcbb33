import './app/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyColorScheme } from './app/color-scheme.ts'
import { OfflinePage } from './app/offline/offline-page.tsx'
import { allowTrustedTexts } from './app/trusted-types.ts'

applyColorScheme()
allowTrustedTexts()

const root = document.getElementById('root')
if (!root) throw new Error('offline.html has no #root')
createRoot(root).render(
  <StrictMode>
    <OfflinePage />
  </StrictMode>,
)
