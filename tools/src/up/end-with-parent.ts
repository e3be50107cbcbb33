// Preloaded into every process that `make up` starts: none outlives the one that looks after it, however that one died.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
