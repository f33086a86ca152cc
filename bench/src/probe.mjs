/** Runs one probe for one case, in this process alone: `probe.mjs PROBE CASE SCALE`. Prints its figures as JSON. */
const [probeId, name, scale] = process.argv.slice(2)
const { probe } = await import(`./probes/${probeId}.mjs`)
process.stdout.write(JSON.stringify({ figures: await probe(name, Number(scale)) }))
process.exit()
