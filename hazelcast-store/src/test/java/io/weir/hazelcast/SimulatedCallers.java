package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.hazelcast.Scenario.Asking;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Those who ask: at random instants, of some nodes more often than of others, and for what a scenario says. */
final class SimulatedCallers {

    private final Scenario scenario;
    private final Timeline timeline;
    private final List<SimulatedNode> nodes;
    private final SplittableRandom random;
    private final double[] upToNode;

    /**
     * @param nodes looked up at each request, since nodes come and go
     */
    SimulatedCallers(Simulation.World world, List<SimulatedNode> nodes) {
        this.scenario = world.scenario();
        this.timeline = world.timeline();
        this.nodes = nodes;
        this.random = world.random().split();
        this.upToNode = new double[nodes.size()];
        double sum = 0;
        for (int i = 0; i < upToNode.length; i++) {
            sum += StrictMath.pow(1 + i, -scenario.zipf());
            upToNode[i] = sum;
        }
    }

    void start() {
        for (int i = 0; i < scenario.bursts(); i++) {
            long begin = i * (scenario.burstNanos() + scenario.silenceNanos());
            boolean looking = scenario.asking() == Asking.FEW_PERMITS && i % 2 == 1;
            timeline.at(begin, () -> askUntil(begin + scenario.burstNanos(), looking));
        }
    }

    private void askUntil(long endNanos, boolean looking) {
        long gap = (long) (-1e9 * StrictMath.log(1 - random.nextDouble()) / scenario.requestsPerSecond());
        long next = timeline.nanoTime() + gap;
        if (next < endNanos) {
            timeline.at(next, () -> {
                ask(looking);
                askUntil(endNanos, looking);
            });
        }
    }

    /** @param looking whether to ask what is left, which goes to the owner while the node keeps its lease and spends none */
    private void ask(boolean looking) {
        SimulatedNode node = nodes.get(anyNode());
        String key = Simulation.key(random.nextInt(scenario.keys()));
        boolean patient = scenario.asking() != Asking.ONE_PERMIT && random.nextInt(4) == 0;
        List<Request> requests = looking ? List.of(new Request.Take(0)) : requests();
        node.ask(key, requests, patient ? 3 * scenario.deadlineNanos() : scenario.deadlineNanos());
    }

    private int anyNode() {
        int found = Arrays.binarySearch(upToNode, random.nextDouble() * upToNode[upToNode.length - 1]);
        return Math.min(nodes.size() - 1, found < 0 ? -found - 1 : found);
    }

    private List<Request> requests() {
        return switch (scenario.asking()) {
            case ONE_PERMIT -> List.of(new Request.Take(1));
            case FEW_PERMITS -> List.of(few());
            case ANYTHING -> random.nextInt(3) != 0 ? List.of(new Request.Take(1)) : several();
        };
    }

    private List<Request> several() {
        List<Request> several = new ArrayList<>();
        int count = random.nextInt(3) == 0 ? random.nextInt(2, 5) : 1;
        for (int i = 0; i < count; i++) {
            several.add(any());
        }
        return several;
    }

    /** Who needs more than the node holds makes it give that back. */
    private Request few() {
        return switch (random.nextInt(40)) {
            case 0, 1, 2, 3 -> new Request.Take(0);
            case 4 -> new Request.GiveBack(random.nextLong(1, 4));
            case 5 -> any();
            case 6 -> new Request.Charge(random.nextLong(1, 4));
            default -> new Request.Take(random.nextLong(1, 4));
        };
    }

    private Request any() {
        long capacity = scenario.rule().algorithm().bandwidths().get(0).capacity();
        return switch (random.nextInt(8)) {
            case 0 -> new Request.Take(0);
            case 1 -> new Request.Take(capacity);
            case 2 -> new Request.Take(random.nextLong(1, capacity + 2));
            case 3 -> moved(random.nextLong(1, 4));
            default -> new Request.Take(random.nextLong(1, Math.max(2, capacity / 4)));
        };
    }

    private static Request moved(long permits) {
        return permits < 3 ? new Request.GiveBack(permits) : new Request.Charge(permits);
    }
}
