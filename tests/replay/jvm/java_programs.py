"""Java programs that the tests drive."""

# Threads that go on and on, with something to read, to set and to call.
MILL = """
import java.util.*;
import java.util.concurrent.atomic.*;

public class Mill {
    enum State { IDLE, BUSY }

    static class Link {
        final String peer;
        volatile boolean closed;
        Link(String peer) { this.peer = peer; }
        void close() { closed = true; }
    }

    static class Fails extends RuntimeException {
        Fails(String message) { super(message); }
    }

    static Mill it;
    static volatile long rounds;
    static volatile long doubled;

    volatile State state = State.IDLE;
    volatile boolean fast;
    volatile double half = 2.5;
    String name = "mill";
    long ground;
    final AtomicInteger served = new AtomicInteger(7);
    final List<Link> links = new ArrayList<>();
    final Object lock = new Object();

    int grind(String grain, long weight) {
        int length = weigh(grain);
        if (weight > 2) {
            store(grain, length);
            return length;
        }
        store(grain, 0);
        return -1;
    }

    int weigh(String grain) { return grain.length(); }

    int weigh(String grain, int more) { return grain.length() + more; }

    void store(String grain, int length) { ground += length; }

    long twice() { return 2 * rounds; }

    synchronized boolean isFast() { return fast; }

    void angry() { throw new Fails("not now"); }

    void holdLock() {
        synchronized (this) { inside(); }
    }

    void inside() { }

    static void touch(Object nothing) { nothing.hashCode(); }

    static void caught() {
        try { touch(null); } catch (NullPointerException e) { rounds++; }
    }

    static void worker() {
        for (long n = 0; ; n++) {
            try { it.grind("grain" + n, n % 5); } catch (ArithmeticException e) { rounds--; }
            it.served.addAndGet(0);
            rounds++;
            try { Thread.sleep(1); } catch (InterruptedException e) { return; }
        }
    }

    static void locker() {
        for (;;) {
            it.holdLock();
            try { Thread.sleep(1); } catch (InterruptedException e) { return; }
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println("begins with " + String.join(" ", args));
        it = new Mill();
        it.links.add(new Link("1"));
        it.links.add(new Link("2"));
        switch (args[0]) {
            case "work" -> new Thread(Mill::worker, "worker").start();
            case "workers" -> {
                new Thread(Mill::worker, "worker").start();
                new Thread(Mill::worker, "worker").start();
                new Thread(Mill::locker, "locker").start();
            }
            case "catch" -> { caught(); Thread.sleep(60_000); }
            case "uncaught" -> {
                Thread thread = new Thread(() -> it.angry(), "temper");
                thread.start();
                thread.join();
                Thread.sleep(60_000);
            }
            case "exit" -> { System.out.println("leaving"); System.exit(3); }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
"""

# Every kind of collection, with the same three elements.
SHELVES = """
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Shelves {
    enum Colour { RED, GREEN, BLUE }

    static class Box implements Comparable<Box> {
        final long number;
        final Box inner;
        Box(long number, Box inner) { this.number = number; this.inner = inner; }
        public int compareTo(Box other) { return Long.compare(number, other.number); }
        long next() { return number + 1; }
    }

    static class Special extends ArrayList<Box> { }

    static final List<Box> boxes = List.of(new Box(1, null), new Box(2, new Box(20, null)), new Box(3, null));

    <C extends Collection<Box>> C with(C some) { some.addAll(boxes); return some; }

    <M extends Map<Long, Box>> M mapped(M some) { for (Box each : boxes) some.put(each.number, each); return some; }

    List<Box> arrayList = with(new ArrayList<>());
    List<Box> linkedList = with(new LinkedList<>());
    Vector<Box> vector = with(new Vector<>());
    Special special = with(new Special());
    ArrayDeque<Box> arrayDeque = with(new ArrayDeque<>());
    ArrayDeque<Box> turned = with(new ArrayDeque<>(4));
    Box[] array = boxes.toArray(new Box[0]);
    LinkedBlockingQueue<Box> blockingQueue = with(new LinkedBlockingQueue<>());
    LinkedBlockingDeque<Box> blockingDeque = with(new LinkedBlockingDeque<>());
    ArrayBlockingQueue<Box> arrayQueue = with(new ArrayBlockingQueue<>(4));
    ConcurrentLinkedQueue<Box> concurrentQueue = with(new ConcurrentLinkedQueue<>());
    ConcurrentLinkedDeque<Box> concurrentDeque = with(new ConcurrentLinkedDeque<>());
    PriorityQueue<Box> priorityQueue = with(new PriorityQueue<>());
    CopyOnWriteArrayList<Box> copying = with(new CopyOnWriteArrayList<>());
    List<Box> synchronizedList = Collections.synchronizedList(with(new LinkedList<>()));
    List<Box> unmodifiable = Collections.unmodifiableList(with(new ArrayList<>()));
    List<Box> asList = Arrays.asList(boxes.get(0), boxes.get(1), boxes.get(2));
    List<Box> listOf = boxes;

    Map<Long, Box> hashMap = mapped(new HashMap<>());
    Map<Long, Box> linkedHashMap = mapped(new LinkedHashMap<>());
    Map<Long, Box> treeMap = mapped(new TreeMap<>());
    Map<Long, Box> concurrentMap = mapped(new ConcurrentHashMap<>());
    Map<Long, Box> skipListMap = mapped(new ConcurrentSkipListMap<>());
    Map<Long, Box> hashtable = mapped(new Hashtable<>());
    Map<Long, Box> synchronizedMap = Collections.synchronizedMap(mapped(new HashMap<>()));
    Map<Long, Box> unmodifiableMap = Collections.unmodifiableMap(mapped(new TreeMap<>()));
    Map<Long, Box> mapOf = Map.copyOf(hashMap);

    Set<Long> hashSet = new HashSet<>(hashMap.keySet());
    Set<Long> linkedHashSet = new LinkedHashSet<>(treeMap.keySet());
    Set<Long> treeSet = new TreeSet<>(treeMap.keySet());
    Set<Long> skipListSet = new ConcurrentSkipListSet<>(treeMap.keySet());
    Set<Long> newKeySet = ConcurrentHashMap.newKeySet();
    Set<Long> synchronizedSet = Collections.synchronizedSet(new HashSet<>(hashMap.keySet()));
    Set<Long> unmodifiableSet = Collections.unmodifiableSet(new TreeSet<>(hashMap.keySet()));
    Set<Long> setOf = Set.of(1L, 2L, 3L);
    Set<Long> keys = hashMap.keySet();

    Map<String, List<Integer>> nested = new TreeMap<>(Map.of("a", List.of(1, 2), "b", List.of()));
    Map<Integer, Integer> large = new HashMap<>();
    Map<Integer, Integer> largeConcurrent = new ConcurrentHashMap<>();
    Map<Integer, Integer> largeTree = new TreeMap<>();
    Map<Clash, Integer> clashing = new ConcurrentHashMap<>();
    List<Integer> withNull = new LinkedList<>(Arrays.asList(1, null, 3));

    static class Clash implements Comparable<Clash> {
        final int number;
        Clash(int number) { this.number = number; }
        public int hashCode() { return 1; }
        public int compareTo(Clash other) { return Integer.compare(number, other.number); }
    }

    AtomicInteger atomicInteger = new AtomicInteger(5);
    AtomicLong atomicLong = new AtomicLong(-6);
    AtomicBoolean atomicBoolean = new AtomicBoolean(true);
    AtomicReference<Box> atomicReference = new AtomicReference<>(boxes.get(1));
    Integer boxed = 12;
    Boolean yes = true;
    Character letter = 'x';
    char bare = '\\u00e9';
    byte small = -3;
    double real = 1.5;
    String text = "na\\u00efve";
    Colour colour = Colour.GREEN;
    Class<?> type = String.class;
    Optional<String> some = Optional.of("there");
    Optional<String> none = Optional.empty();
    Box nothing = null;
    byte[] bytes = { 1, -1 };
    int[][] matrix = { { 1, 2 }, { 3 } };
    static int counted = 3;

    void look(Box given, long number, int[] numbers) { }

    static long size() { return 3; }

    public static void main(String[] args) throws Exception {
        Shelves shelves = new Shelves();
        shelves.newKeySet.addAll(shelves.hashMap.keySet());
        for (int n = 0; n < 500; n++) {
            shelves.large.put(n, -n);
            shelves.largeConcurrent.put(n, -n);
            shelves.largeTree.put(n, -n);
        }
        for (int n = 0; n < 30; n++) shelves.clashing.put(new Clash(n), n);
        for (int n = 0; n < 3; n++) shelves.turned.add(shelves.turned.poll());
        for (int n = 0; n < 3; n++) shelves.arrayQueue.add(shelves.arrayQueue.poll());
        for (;;) {
            shelves.look(boxes.get(1), 42, new int[] { 7, 8 });
            Thread.sleep(1);
        }
    }
}
"""

# What compilers make instructions of every length from.
WORDS = """
public class Words {
    interface Speaker { String speak(); }

    static int choose(int n) {
        switch (n) { case 1: return 10; case 2: return 20; case 3: return 30; default: break; }
        switch (n) { case 100: return -1; case 10000: return -2; case -5: return -3; default: return 0; }
    }

    static String spoken(Object given) {
        Speaker speaker = () -> "said " + given;
        String found = speaker.speak();
        int[][][] cube = new int[2][3][4];
        cube[1][2][3] += 300;
        long big = 1L << 40;
        double real = 2.5e100;
        if (given instanceof String text) return text.trim() + cube[1][2][3] + big + real;
        String second = speaker.speak();
        return found + second;
    }

    static long wide() {
        MANY
        long last = a299 + 1;
        int counter = 5;
        counter += 1000;
        return last + counter;
    }

    static void calls(Speaker one) {
        one.speak();
        Object found;
        while ((found = one.speak()) != null) { one.speak(); }
        String cast = (String) (Object) one.speak();
        cast.length();
    }

    native int unknown();

    Words() { super(); }

    Words(String text, int[] numbers) { this(); }

    static class Inner extends Words { void own() { } }
}
""".replace("MANY", " ".join(f"long a{n} = {n};" for n in range(300)))

# Compiled without names of local variables, as some libraries are.
BARE = """
public class Bare {
    long both(long first, String second) { return first + second.length(); }

    public static void main(String[] args) throws Exception {
        for (;;) {
            new Bare().both(4, "four");
            Thread.sleep(1);
        }
    }
}
"""
